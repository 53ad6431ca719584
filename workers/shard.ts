// A shard thread: wires a shard to the real clock, network and database, and drives it.

import { setImmediate as otherWork } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '#engine/base/assert.ts';
import { AwakeBudget } from '#engine/base/awake-budget.ts';
import { systemClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { DATABASE_SILENCE_MS_MAX, SHARD_DATABASE_CONNECTIONS_MAX, SHARD_SLEEP_MS_MAX } from '#engine/base/limits.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { keepBatches } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { UnrecordedFolder } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import type { FinishedDelivery } from '#engine/delivery/endpoint/finished-delivery.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { Shard } from '#engine/delivery/shard/shard.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import type { Traffic } from '#engine/delivery/transport/traffic.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { createLog } from './log.ts';
import type { ShardThreadData } from './shard-thread.ts';
import { watchThread } from './thread-watch.ts';
import { watchLiveTimeline } from './watch-live-timeline.ts';

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/** The log fields of a finished delivery, without nesting. */
function finishedLine({ outcome, lastAttempt, lagMs, ...delivery }: FinishedDelivery) {
  const { result, latencyMs } = lastAttempt ?? { result: null, latencyMs: null };
  return {
    ...delivery,
    outcome: outcome.kind,
    reason: outcome.kind === 'skipped' ? outcome.reason : null,
    statusCode: result?.kind === 'answered' ? result.statusCode : null,
    error: result?.kind === 'failed' ? result.detail : null,
    latencyMs: latencyMs && tenths(latencyMs),
    lagMs: tenths(lagMs),
  };
}

const port = parentPort;
assert(port !== null, 'a shard runs on a worker thread');
const data = workerData as ShardThreadData;
const log = createLog(data.logLevel, { shard: data.shard });
const sql = connect(data.connection, {
  max: SHARD_DATABASE_CONNECTIONS_MAX,
  name: `slipstream-shard-${data.shard}`,
  clock: systemClock,
  // Unconfirmed records are sent again over another connection; the database stores them once.
  silenceMsMax: DATABASE_SILENCE_MS_MAX,
});

const awakeBudget = new AwakeBudget(systemClock.nowMs());
let awake = false;
let sleep: NodeJS.Timeout | undefined;

function advance(): void {
  awake = false;
  clearTimeout(sleep);
  const delayMs = shard.advance();
  if (delayMs === 0 || (delayMs < 1 && awakeBudget.allows(delayMs, systemClock.nowMs()))) wake();
  else sleep = setTimeout(advance, Math.min(Math.max(1, Math.floor(delayMs)), SHARD_SLEEP_MS_MAX));
}

function wake(): void {
  if (awake) return;
  awake = true;
  setImmediate(advance);
}

const meter = new ShardMeter(data.meters.shards[data.shard]!);
const lease = data.lease === undefined ? Lease.forever() : new Lease(data.lease);
const transport = new HttpTransport(
  { isServed: data.replayToLocalhost, isOwnPort: (port) => data.ownPorts.includes(port) },
  systemClock,
  undefined,
  undefined,
  lease,
);

const shard = new Shard({
  clock: systemClock,
  transport,
  store: new PostgresRecordStore(sql, otherWork),
  keep: (batches) => keepBatches({ files: new UnrecordedFolder(data.dataDir), log }, batches),
  writer: data.writer,
  lease,
  headerPrefix: data.headerPrefix,
  liveToLocalhost: data.liveToLocalhost,
  meter,
  finished: log.isLevelEnabled('debug') ? (finished) => log.debug(finishedLine(finished), 'delivery finished') : null,
  watch: watchLiveTimeline,
  notify(message) {
    if (message.kind === 'drained') {
      transport.close();
      measure();
    }
    port.postMessage(message);
  },
  wake,
  reportProblem: (what, error) => log.error({ err: error }, what),
});

let counted: Traffic = { ...transport.traffic };

/** Counts the actors slice by slice, so that other work can run in between. */
function measure(): void {
  if (shard.measure()) {
    setImmediate(measure);
    return;
  }
  const { connections, opened, resumed, reused, moved } = transport.traffic;
  meter.gauges.set('connections', connections);
  meter.counts.add('connectionsOpened', opened - counted.opened);
  meter.counts.add('requestsReused', reused - counted.reused);
  meter.counts.add('requestsMoved', moved - counted.moved);
  meter.counts.add('tlsResumed', resumed - counted.resumed);
  counted = { ...transport.traffic };
}

watchThread(meter.thread, measure);
port.on('message', (message: ToShard) => shard.receive(message));
port.postMessage({ kind: 'ready' });
