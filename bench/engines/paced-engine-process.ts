// The real delivery engine in a process of its own: shard threads, PostgreSQL with its delivery log, nothing left out
// but the HTTP front. It plays artifacts at a pace, and says when its timeline's zero was due and what the process
// used meanwhile.
//
// Started by paced-engine.ts with the number of shards.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import { readArtifact } from '#engine/timeline/artifact.ts';
import { createLog } from '#workers/log.ts';
import { shardThreads } from '#workers/shard-thread.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { BENCH_ORIGIN, type FromEngine, type ToEngine, type UsageSample } from './paced-engine-messages.ts';

/** From the order to the first due update: checkpoints are read and threads are told meanwhile. */
const LEAD_MS = 300;
const SAMPLE_MS = 250;
/** Looks at the wall clock's change of its millisecond, to know where it stands within one. */
const CLOCK_LOOKS = 8;

const shards = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
// PostgreSQL's own user passes through.
chmodSync(folder, 0o711);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

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
tell({ kind: 'ready', connection: database.connection, folder });

async function open(): Promise<{ readonly router: ShardRouter; readonly database: Database }> {
  const log = createLog('warn');
  const database = await openDatabase({
    databaseUrl: null,
    dataDir: folder,
    role: 'service',
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  const { connection } = database;
  const settings = {
    connection,
    headerPrefix: 'X-Service',
    ownPorts: new Uint16Array(new SharedArrayBuffer(0)),
    logLevel: 'warn',
    liveToLocalhost: false,
    meters: newMeters(shards),
  };
  const router = new ShardRouter({
    shards,
    startShard: shardThreads(settings),
    schedule: systemClock.schedule,
    reportProblem: (what, error) => log.error({ err: error }, what),
  });
  return { router, database };
}

function tell(message: FromEngine): void {
  if (process.connected) process.send!(message);
}

async function play({ order, artifactFile, endpoints, beginsMs }: Extract<ToEngine, { kind: 'play' }>): Promise<void> {
  const artifact = await readArtifact(artifactFile, BENCH_ORIGIN);
  if ('damaged' in artifact) throw new Error(`${artifactFile}: ${artifact.damaged}`);
  const usage = [sample()];
  const sampling = setInterval(() => usage.push(sample()), SAMPLE_MS);
  const ahead = monotonicAheadMs();
  const startedAtMs = Math.round(Date.now() + LEAD_MS - beginsMs / order.speed);
  // A resumed run goes on from its checkpoints, which is how a play begins in the middle of a race.
  router.startRun({ ...order, startedAtMs, allowance: allowanceCell() }, { bytes: artifact.bytes }, endpoints, true, {
    firstAttempt: () => {},
    settled: () => {
      clearInterval(sampling);
      usage.push(sample());
      tell({ kind: 'settled', usage });
    },
  });
  tell({ kind: 'started', zeroAtMs: startedAtMs + ahead });
}

function sample(): UsageSample {
  const { user, system } = process.cpuUsage();
  return { atMs: monotonicMs(), cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
}

/** How far the monotonic clock is ahead of the wall clock, which tells whole milliseconds: taken as one begins. */
function monotonicAheadMs(): number {
  let ahead = Number.POSITIVE_INFINITY;
  for (let look = 0; look < CLOCK_LOOKS; look++) {
    const beforeMs = Date.now();
    let wallMs = beforeMs;
    while (wallMs === beforeMs) wallMs = Date.now();
    // A look that was held up in between finds too much.
    ahead = Math.min(ahead, monotonicMs() - wallMs);
  }
  return ahead;
}
