// The real delivery engine in its own process: shard threads, and PostgreSQL with the delivery log; everything except
// the HTTP API. It plays artifacts at a given speed, and reports when time zero of the timeline was due and the
// resources the process used.
//
// Started by paced-engine.ts with the number of shards.

import { randomUUID } from 'node:crypto';
import { systemClock } from '#engine/base/clock.ts';
import { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { Database } from '#engine/storage/database.ts';
import { readArtifact } from '#engine/timeline/artifact.ts';
import { createLog } from '#workers/log.ts';
import { shardThreads } from '#workers/shard-thread.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { benchFolder, openBenchDatabase } from './bench-database.ts';
import { BENCH_ORIGIN, type FromEngine, type ToEngine, type UsageSample } from './paced-engine-messages.ts';

/**
 * From receiving the play message to the first due update: time to read checkpoints and start the run on the shards.
 */
const LEAD_MS = 300;
const SAMPLE_MS = 250;

const shards = Number(process.argv[2]);
const folder = benchFolder();

const engine = open();
endWithTheBench(async () => {
  const { router, database } = await engine;
  await router.drain();
  await database.close();
});
const { router, database } = await engine;

process.on('message', (message: ToEngine) => {
  if (message.kind === 'stop') router.stopRun(message.runId);
  else if (message.kind === 'play') void play(message);
});
send({ kind: 'ready', connection: database.connection, folder });

async function open(): Promise<{ readonly router: ShardRouter; readonly database: Database }> {
  const log = createLog('warn');
  const database = await openBenchDatabase(folder, log);
  const { connection } = database;
  const settings = {
    dataDir: folder,
    connection,
    headerPrefix: 'X-Service',
    ownPorts: new Uint16Array(new SharedArrayBuffer(0)),
    logLevel: 'warn',
    replayToLocalhost: true,
    liveToLocalhost: false,
    meters: newMeters(shards),
  };
  const router = new ShardRouter({
    shards,
    startShard: shardThreads(randomUUID(), settings),
    makeSnapshots: async () => null,
    schedule: systemClock.schedule,
    reportProblem: (what, error) => log.error({ err: error }, what),
  });
  return { router, database };
}

function send(message: FromEngine): void {
  if (process.connected) process.send!(message);
}

async function play({ order, artifactFile, endpoints, beginsMs }: Extract<ToEngine, { kind: 'play' }>): Promise<void> {
  const artifact = await readArtifact(artifactFile, BENCH_ORIGIN);
  if ('damaged' in artifact) throw new Error(`${artifactFile}: ${artifact.damaged}`);
  const usage = [sample()];
  const sampling = setInterval(() => usage.push(sample()), SAMPLE_MS);
  const pacedFromMs = Math.round(systemClock.nowMs() + LEAD_MS - beginsMs / order.speed);
  // A resumed run starts from its checkpoints, which lets a play begin in the middle of a race.
  router.startRun({ ...order, pacedFromMs, allowance: allowanceCell() }, { bytes: artifact.bytes }, endpoints, true, {
    firstAttempt: () => {},
    settled: () => {
      clearInterval(sampling);
      usage.push(sample());
      send({ kind: 'settled', usage });
    },
  });
  send({ kind: 'started', zeroAtMs: monotonicMs() + pacedFromMs - systemClock.nowMs() });
}

function sample(): UsageSample {
  const { user, system } = process.cpuUsage();
  return { atMs: monotonicMs(), cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
}
