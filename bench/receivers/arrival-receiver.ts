// A receiver in its own process that times every arrival: it responds 200 at once, verifies every signature, and
// records when each update of each endpoint was first fully received.
//
// Started by arrival-receiver-process.ts. Endpoint n is at /<n>. A request is timed before its signature is checked.
// While the process handles one request the next one waits, and its time includes that wait.

import { App, SSLApp, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import type { FromArrivalReceiver, ToArrivalReceiver } from './arrival-receiver-process.ts';
import { awaitAll } from './await-all.ts';
import { LOCALHOST_CERTIFICATE } from './localhost-certificate.ts';
import { whenWhole } from './receiver-body.ts';
import { OVERTAKEN_MAX, sequenceIn } from './sequence-in-body.ts';

const LOOPBACK = '127.0.0.1';

let keys: readonly KeyObject[] = [];
let highest = new Uint32Array(0);
let first = 1;
let updates = 0;
let atMs = new Float64Array(0);
let keepsConnections = true;
const [scheme, answerAfterMs, origins] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const counts = { requests: 0, distinct: 0, doubled: 0, misordered: 0, wronglySigned: 0, unexpected: 0, accepted: 0 };

function received(endpoint: number, body: Buffer, signature: string, nowMs: number): void {
  counts.requests++;
  const key = keys[endpoint];
  const sequence = sequenceIn(body);
  if (key === undefined || sequence < first || sequence >= first + updates) {
    counts.unexpected++;
    return;
  }
  const expected = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(signature.slice('sha256='.length), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) counts.wronglySigned++;
  const place = endpoint * updates + (sequence - first);
  if (atMs[place] === 0) {
    atMs[place] = nowMs;
    counts.distinct++;
  } else {
    counts.doubled++;
  }
  if (sequence + OVERTAKEN_MAX < highest[endpoint]!) counts.misordered++;
  highest[endpoint] = Math.max(highest[endpoint]!, sequence);
}

function countConnection(_response: unknown, change: number | object): void {
  if (Number(change) > 0) counts.accepted++;
}

const app = (scheme === 'https' ? SSLApp(LOCALHOST_CERTIFICATE) : App())
  .filter(countConnection)
  .post('/:endpoint', (response, request) => {
    const endpoint = Number(request.getParameter(0));
    const signature = request.getHeader('x-service-signature');
    let open = true;
    whenWhole(
      response,
      (body) => {
        received(endpoint, body, signature, monotonicMs());
        if (answerAfterMs === 0) response.end(undefined, !keepsConnections);
        else setTimeout(() => open && response.cork(() => response.end(undefined, !keepsConnections)), answerAfterMs);
      },
      () => {
        open = false;
      },
    );
  });

function send(message: FromArrivalReceiver): void {
  if (process.connected) process.send!(message);
}

process.on('message', (message: ToArrivalReceiver) => {
  switch (message.kind) {
    case 'expect':
      keys = message.secrets.map((secret) => createSecretKey(Buffer.from(secret)));
      first = message.first;
      updates = message.updates;
      highest = new Uint32Array(keys.length);
      atMs = new Float64Array(keys.length * updates);
      Object.assign(counts, {
        requests: 0,
        distinct: 0,
        doubled: 0,
        misordered: 0,
        wronglySigned: 0,
        unexpected: 0,
        accepted: 0,
      });
      send({ kind: 'expecting' });
      break;
    case 'await':
      awaitAll(
        () => counts.distinct >= keys.length * updates,
        message.timeoutMs,
        () => send({ kind: 'awaited' }),
      );
      break;
    case 'report':
      send({ kind: 'arrivals', ...counts, atMs });
      break;
    case 'keep':
      keepsConnections = message.connections;
      send({ kind: 'keeping' });
      break;
    case 'clock':
      send({ kind: 'clock', nowMs: monotonicMs() });
      break;
  }
});
endWithTheBench(async () => {});

const ports: number[] = [];
for (let origin = 0; origin < origins; origin++) {
  app.listen(LOOPBACK, 0, (socket) => {
    if (socket === false) throw new Error('no free port on the loopback address');
    ports.push(us_socket_local_port(socket));
    if (ports.length === origins) send({ kind: 'listening', ports });
  });
}
