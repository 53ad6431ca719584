// A receiver of its own process for load benches: answers 200 at once, verifies every signature and remembers what came.
//
// Started with `startReceiver` (receiver-process.ts). A request goes to /<endpoint>; what is expected of it is told before
// the load starts, what came is asked for afterwards.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ReceiverReport, ToReceiver } from './receiver-process.ts';

interface Endpoint {
  readonly key: KeyObject;
  /** How often each sequence came; index 0 is not used. */
  readonly seen: Uint8Array;
  last: number;
}

const SEQUENCE = Buffer.from('"sequence":');
const LOOPBACK = '127.0.0.1';

const endpoints: Endpoint[] = [];
const report = { requests: 0, distinct: 0, doubled: 0, misordered: 0, wronglySigned: 0 };

/** The number after `"sequence":`, without parsing the rest. */
function sequenceIn(body: Buffer): number {
  let at = body.indexOf(SEQUENCE) + SEQUENCE.length;
  let value = 0;
  for (let digit = body[at]! - 48; digit >= 0 && digit <= 9; digit = body[++at]! - 48) value = value * 10 + digit;
  return value;
}

function received(endpoint: Endpoint, body: Buffer, signature: string): void {
  report.requests++;
  const expected = createHmac('sha256', endpoint.key).update(body).digest();
  const given = Buffer.from(signature.slice('sha256='.length), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) report.wronglySigned++;
  const sequence = sequenceIn(body);
  if (endpoint.seen[sequence]!++ === 0) report.distinct++;
  else report.doubled++;
  // Attempts start in order but may overtake each other on parallel connections; only far jumps back are disorder.
  if (sequence < endpoint.last - 256) report.misordered++;
  endpoint.last = Math.max(endpoint.last, sequence);
}

const app = App().post('/:endpoint', (response, request) => {
  const endpoint = endpoints[Number(request.getParameter(0))];
  const signature = request.getHeader('x-service-signature');
  let body: Buffer | null = null;
  response.onAborted(() => {});
  response.onData((chunk, last) => {
    const piece = Buffer.from(chunk);
    if (last) {
      if (endpoint !== undefined) received(endpoint, body === null ? piece : Buffer.concat([body, piece]), signature);
      response.end();
    } else {
      body = Buffer.from(body === null ? piece : Buffer.concat([body, piece]));
    }
  });
});

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'expect') {
    endpoints.length = 0;
    for (const secret of message.secrets) {
      const key = createSecretKey(Buffer.from(secret));
      endpoints.push({ key, seen: new Uint8Array(message.updates + 1), last: 0 });
    }
    Object.assign(report, { requests: 0, distinct: 0, doubled: 0, misordered: 0, wronglySigned: 0 });
  }
  process.send!({ kind: 'report', ...report } satisfies ReceiverReport);
});
process.on('disconnect', () => process.exit(0));

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  process.send!({ kind: 'listening', port: us_socket_local_port(socket) });
});
