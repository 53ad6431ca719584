// A receiver in its own process for load benches: it responds 200 at once, verifies every signature and counts
// arrivals.
//
// Started by `startReceiver` (receiver-process.ts) with the scheme, http or https. Endpoint n is at /<n>. The bench says
// what to expect before the load starts, and requests the report afterwards.

import { App, SSLApp, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LOCALHOST_CERTIFICATE } from './localhost-certificate.ts';
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
/** Three minutes; the curve ends there. */
const ARRIVALS_MAX = 1_800;

const endpoints: Endpoint[] = [];
const NOTHING = { connections: 0, requests: 0, distinct: 0, doubled: 0, misordered: 0, wronglySigned: 0 };
const report = { ...NOTHING };
/** When the last `expect` arrived. */
let startedMs = performance.now();
let cpuBefore = process.cpuUsage();
let arrivals: [seconds: number, requests: number][] = [];

function received(endpoint: Endpoint, body: Buffer, signature: string): void {
  report.requests++;
  // Compared as text, which costs a third less than bytes. Constant time is unnecessary: nothing attacks a bench (I6).
  const expected = createHmac('sha256', endpoint.key).update(body).digest('hex');
  if (signature !== `sha256=${expected}`) report.wronglySigned++;
  const sequence = sequenceIn(body);
  // An unexpected sequence must not make up for a missing one, so it counts as doubled.
  if (sequence > 0 && endpoint.seen[sequence]!++ === 0) report.distinct++;
  else report.doubled++;
  if (sequence + OVERTAKEN_MAX < endpoint.last) report.misordered++;
  endpoint.last = Math.max(endpoint.last, sequence);
}

const app = (process.argv[2] === 'https' ? SSLApp(LOCALHOST_CERTIFICATE) : App()).post(
  '/:endpoint',
  (response, request) => {
    const endpoint = endpoints[Number(request.getParameter(0))];
    const signature = request.getHeader('x-service-signature');
    whenWhole(response, (body) => {
      if (endpoint !== undefined) received(endpoint, body, signature);
      response.end();
    });
  },
);

/** Called with 1 when a connection opens, with -1 when it closes. */
const connectionsChanged: Parameters<typeof app.filter>[0] = (_response, change) => {
  if (Number(change) > 0) report.connections++;
};
app.filter(connectionsChanged);

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'expect') {
    endpoints.length = 0;
    for (const secret of message.secrets) {
      const key = createSecretKey(Buffer.from(secret));
      endpoints.push({ key, seen: new Uint8Array(message.updates + 1), last: 0 });
    }
    Object.assign(report, NOTHING);
    startedMs = performance.now();
    cpuBefore = process.cpuUsage();
    arrivals = [];
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send!({ kind: 'report', ...report, cpuUs: user + system, arrivals } satisfies ReceiverReport);
});

// Sampled by a timer, because recording each request would cost a clock reading per request.
setInterval(() => {
  if (arrivals.length < ARRIVALS_MAX) arrivals.push([(performance.now() - startedMs) / 1000, report.requests]);
}, ARRIVALS_EVERY_MS);

process.on('disconnect', () => process.exit(0));

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  process.send!({ kind: 'listening', port: us_socket_local_port(socket) });
});
