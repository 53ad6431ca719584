// The operators' thread: the listener for operators. It reads the meters of all threads from shared memory, so it can
// report a thread that hangs or is dead. It forwards operators' own sources to the live thread.

import { parentPort, workerData } from 'node:worker_threads';
import { type AdminListener, listenForOperators } from '#api/admin/admin-listener.ts';
import { LiveClient } from '#api/admin/live-client.ts';
import { Metrics } from '#api/admin/metrics.ts';
import { overageFigures } from '#api/billing/overage/postgres-overage-figures.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  DATABASE_QUICK_END_S,
  DATABASE_SILENCE_MS_MAX,
  OPERATORS_DATABASE_CONNECTIONS_MAX,
} from '#engine/base/limits.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { connect, serviceConnections } from '#engine/storage/postgres-client.ts';
import { createLog } from './log.ts';
import type { FromOperators, ToOperators } from './operators-messages.ts';
import type { OperatorsThreadData } from './operators-thread.ts';
import { watchThread } from './thread-watch.ts';
import { VERSION } from './version.ts';

const port = parentPort;
assert(port !== null, 'operators are served on a worker thread');
const post = (message: FromOperators): void => port.postMessage(message);
const { admin, connection, meters, ...data } = workerData as OperatorsThreadData;
const log = createLog(data.logLevel, { thread: 'operators' });
const sql = connect(connection, {
  max: OPERATORS_DATABASE_CONNECTIONS_MAX,
  name: 'slipstream-operators',
  clock: systemClock,
  silenceMsMax: DATABASE_SILENCE_MS_MAX,
});
const live = new LiveClient();
let listener: AdminListener | null = null;

watchThread(new ThreadMeter(new Float64Array(meters.operators)));
port.on('message', async (message: ToOperators) => {
  if (message.kind === 'live') {
    live.attach(message.port);
    return;
  }
  await listener?.close();
  await sql.end({ timeout: DATABASE_QUICK_END_S });
  post({ kind: 'closed' });
});

const metrics = new Metrics({
  live,
  hasTiming: data.hasTiming,
  meters,
  requests: data.requests,
  clock: systemClock,
  dataDir: data.dataDir,
  databaseConnections: () => serviceConnections(sql),
  ...(data.billsOverage && { overage: () => overageFigures(sql, new Date(systemClock.wallMs())) }),
  version: VERSION,
});
listener = await listenForOperators({ ...admin, ingest: live, metrics: data.metrics ? metrics : null, log });
post({ kind: 'ready', port: listener.port });
