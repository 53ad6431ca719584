// A receiver of its own process for load benches: answers 200 at once, verifies every signature and remembers what came.
//
// Started with `startReceiver` (receiver-process.ts). A request goes to /<endpoint>; what is expected of it is told before
// the load starts, what came is asked for afterwards.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { whenWhole } from './receiver-body.ts';
import type { ReceiverReport, ToReceiver } from './receiver-process.ts';
import { OVERTAKEN_MAX, sequenceIn } from './sequence-in-body.ts';

interface Endpoint {
  readonly key: KeyObject;
  /** How often each sequence came. */
  readonly seen: Uint8Array;
  last: number;
}

const LOOPBACK = '127.0.0.1';
const ARRIVALS_EVERY_MS = 100;
/** Three minutes; what comes later is not part of the curve. */
const ARRIVALS_MAX = 1_800;

const endpoints: Endpoint[] = [];
const report = { requests: 0, distinct: 0, doubled: 0, misordered: 0, wronglySigned: 0 };
/** Since something was expected. */
let startedMs = performance.now();
let cpuBefore = process.cpuUsage();
let arrivals: [seconds: number, requests: number][] = [];

function received(endpoint: Endpoint, body: Buffer, signature: string): void {
  report.requests++;
  // As text, and not in constant time, since there is nobody to guess it: a third less than with bytes (I6).
  const expected = createHmac('sha256', endpoint.key).update(body).digest('hex');
  if (signature !== `sha256=${expected}`) report.wronglySigned++;
  const sequence = sequenceIn(body);
  // One that nobody expects stands in for none that is missing.
  if (sequence > 0 && endpoint.seen[sequence]!++ === 0) report.distinct++;
  else report.doubled++;
  if (sequence + OVERTAKEN_MAX < endpoint.last) report.misordered++;
  endpoint.last = Math.max(endpoint.last, sequence);
}

const app = App().post('/:endpoint', (response, request) => {
  const endpoint = endpoints[Number(request.getParameter(0))];
  const signature = request.getHeader('x-service-signature');
  whenWhole(response, (body) => {
    if (endpoint !== undefined) received(endpoint, body, signature);
    response.end();
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
    startedMs = performance.now();
    cpuBefore = process.cpuUsage();
    arrivals = [];
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send!({ kind: 'report', ...report, cpuUs: user + system, arrivals } satisfies ReceiverReport);
});

// Looked at from outside rather than told by each request, which would cost each of them a look at the clock.
setInterval(() => {
  if (arrivals.length < ARRIVALS_MAX) arrivals.push([(performance.now() - startedMs) / 1000, report.requests]);
}, ARRIVALS_EVERY_MS);

process.on('disconnect', () => process.exit(0));

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  process.send!({ kind: 'listening', port: us_socket_local_port(socket) });
});
