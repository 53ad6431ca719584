// The real delivery engine for load benches: shard threads, and PostgreSQL with the delivery log; everything except the
// HTTP API. Its temporary folder is removed at the end.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import { createLog } from '#workers/log.ts';
import { shardThreads } from '#workers/shard-thread.ts';
import { eachLoggedAttempt } from '../suite/logged-attempts.ts';
import { createEndpoints } from './bench-account.ts';
import { benchFolder, openBenchDatabase } from './bench-database.ts';

export interface RunResult {
  readonly seconds: number;
  /** The number of attempts in the delivery log, and as usage counts them. */
  readonly logged: number;
  readonly used: number;
}

export interface DeliveryEngine {
  /** Its database, shared with a peer that also keeps its jobs in PostgreSQL. */
  readonly connection: ConnectionSettings;
  /** Creates a new account with `count` endpoints at `origin`/<index>, each with its own secret. */
  register(origin: string, count: number): Promise<readonly EndpointSettings[]>;
  /** Plays the artifact to these endpoints. Resolves when every delivery is settled and recorded. */
  play(artifact: SharedArtifact, endpoints: readonly EndpointSettings[], speed: number): Promise<RunResult>;
  close(): Promise<void>;
}

export async function startDeliveryEngine(shards: number): Promise<DeliveryEngine> {
  const dataDir = benchFolder();
  const log = createLog('warn');
  const database = await openBenchDatabase(dataDir, log);
  const sql = database.connect(2);
  const settled = new Map<string, () => void>();
  const router = new ShardRouter({
    shards,
    startShard: shardThreads(randomUUID(), {
      dataDir,
      connection: database.connection,
      headerPrefix: 'X-Service',
      ownPorts: new Uint16Array(new SharedArrayBuffer(0)),
      logLevel: 'warn',
      replayToLocalhost: true,
      liveToLocalhost: false,
      meters: newMeters(shards),
    }),
    makeSnapshots: async () => null,
    schedule: systemClock.schedule,
    reportProblem: (what, error) => log.error({ err: error }, what),
  });
  const listener = { firstAttempt: () => {}, settled: (runId: string) => settled.get(runId)?.() };
  return {
    connection: database.connection,
    register: (origin, count) =>
      createEndpoints(
        sql,
        Array.from({ length: count }, (_, index) => `${origin}/${index}`),
      ),
    async play(artifact, endpoints, speed) {
      const { accountId } = endpoints[0]!;
      const runId = newId('run', Date.now(), systemRandomBytes);
      const [run] = await sql<{ runNo: number }[]>`
        insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
        values (${runId}, ${accountId}, 'synthetic', 10, 'webhook', 'running', 0) returning run_no as "runNo"`;
      const started = performance.now();
      await new Promise<void>((resolve) => {
        settled.set(runId, resolve);
        router.startRun(
          {
            mode: 'replay',
            runId,
            runNo: run!.runNo,
            sessionId: 'synthetic',
            accountId,
            speed,
            pacedFromMs: systemClock.nowMs(),
            allFeeds: false,
            allowance: allowanceCell(),
          },
          artifact,
          endpoints,
          false,
          listener,
        );
      });
      const seconds = (performance.now() - started) / 1000;
      await sql`update run set state = 'completed', ended_at = now() where run_id = ${runId}`;
      const [counts] = await sql<{ used: number }[]>`
        select (select coalesce(sum(attempts), 0)::int from usage where account_id = ${accountId}) as used`;
      let logged = 0;
      await eachLoggedAttempt(sql, () => void logged++, run!.runNo);
      return { seconds, logged, used: counts!.used };
    },
    async close() {
      await router.drain();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
