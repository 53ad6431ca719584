// The operators' thread: the listener for operators. It reads the meters of all threads from shared memory, so it can
// report a thread that hangs or is dead. It forwards operators' own sources to the live thread, and serves the operators'
// page.

import { parentPort, workerData } from 'node:worker_threads';
import { type AdminListener, listenForOperators } from '#api/admin/admin-listener.ts';
import { LiveClient } from '#api/admin/live-client.ts';
import { Metrics } from '#api/admin/metrics.ts';
import { OperatorsPage } from '#api/admin/page/operators-page.ts';
import { Overview } from '#api/admin/page/overview.ts';
import { overageFigures } from '#api/billing/overage/postgres-overage-figures.ts';
import { postgresOperatorRunStore } from '#api/simulate/postgres-operator-run-store.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  DATABASE_QUICK_END_S,
  DATABASE_SILENCE_MS_MAX,
  HISTORY_SAMPLE_MS,
  OPERATORS_DATABASE_CONNECTIONS_MAX,
} from '#engine/base/limits.ts';
import { journalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { connect, serviceConnections } from '#engine/storage/postgres-client.ts';
import type { Finding } from './admin/doctor/finding.ts';
import { createLog } from './log.ts';
import type { FromOperators, ToOperators } from './operators-messages.ts';
import type { OperatorsThreadData } from './operators-thread.ts';
import { watchThread } from './thread-watch.ts';
import { VERSION } from './version.ts';
import { WarningLog } from './warnings.ts';

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
const warnings = new WarningLog();
let listener: AdminListener | null = null;

watchThread(new ThreadMeter(new Float64Array(meters.operators)));
port.on('message', async (message: ToOperators) => {
  if (message.kind === 'live') {
    live.attach(message.port);
    return;
  }
  if (message.kind === 'warnings') {
    for (const warning of message.warnings) warnings.add(warning);
    return;
  }
  await listener?.close();
  await sql.end({ timeout: DATABASE_QUICK_END_S });
  post({ kind: 'closed' });
});

const watched = {
  live,
  hasTiming: data.hasTiming,
  meters,
  clock: systemClock,
  dataDir: data.dataDir,
  databaseConnections: () => serviceConnections(sql),
  journalBacklog: () => journalBacklog(sql),
  version: VERSION,
};
const metrics = new Metrics({
  ...watched,
  requests: data.requests,
  ...(data.node !== undefined && { node: data.node }),
  ...(data.billsOverage && { overage: () => overageFigures(sql, new Date(systemClock.wallMs())) }),
});

function operatorsPage(): OperatorsPage {
  const runs = postgresOperatorRunStore(sql);
  const overview = new Overview({ ...watched, runs });
  systemClock.every(HISTORY_SAMPLE_MS, async () => overview.sample());
  return new OperatorsPage({ overview, warnings, runs, diagnose: diagnoseService, clock: systemClock, log });
}

/** Loaded when the doctor is first asked: few processes ever do. */
async function diagnoseService(): Promise<readonly Finding[]> {
  const { diagnoseRunning } = await import('./admin/doctor/running-service.ts');
  return diagnoseRunning(connection, process.env);
}

listener = await listenForOperators({
  ...admin,
  ingest: live,
  metrics: data.metrics ? metrics : null,
  page: data.page ? operatorsPage() : null,
  log,
});
post({ kind: 'ready', port: listener.port });
