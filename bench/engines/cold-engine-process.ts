// The delivery engine as a cold sender (cold-sender.ts): one shard on the main thread of this process, with the real
// transport, PostgreSQL and delivery log. So it can say how many connections are open, how many handshakes resumed a TLS
// session, and how much memory all that takes.

import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { createLog } from '#workers/log.ts';
import { collectedMemory } from '../suite/collected-memory.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { eachLoggedAttempt } from '../suite/logged-attempts.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { createEndpoints } from './bench-account.ts';
import { benchFolder, openBenchDatabase } from './bench-database.ts';
import { COLD_BODY_BYTES, replyToBench, type ToColdSender } from './cold-sender.ts';
import { MainThreadShard } from './main-thread-shard.ts';
import { syntheticArtifact } from './synthetic-timeline.ts';

const log = createLog('warn');
const database = await openBenchDatabase(benchFolder(), log);
const sql = database.connect(2);
const artifact = await syntheticArtifact(1, 1_000, COLD_BODY_BYTES);
const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock);
let settled = (): void => {};
const shard = new MainThreadShard({ clock: systemClock, transport, sql, log, settled: () => settled() });
let endpoints: readonly EndpointSettings[] = [];

async function aim(urls: readonly string[]): Promise<void> {
  endpoints = await createEndpoints(sql, urls);
  replyToBench({ kind: 'aimed', secrets: endpoints.map(({ secret }) => secret) });
}

async function deliver(leadMs: number): Promise<void> {
  const { accountId } = endpoints[0]!;
  const usedBefore = await attemptsUsed(accountId);
  const runId = newId('run', Date.now(), systemRandomBytes);
  const [row] = await sql<{ runNo: number }[]>`
    insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values (${runId}, ${accountId}, 'synthetic', 1, 'webhook', 'running', 1) returning run_no as "runNo"`;
  const { runNo } = row!;
  const resumedBefore = transport.traffic.resumed;
  const cpuBefore = process.cpuUsage();
  const over = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const pacedFromMs = systemClock.nowMs() + leadMs;
  const dueAtMs = monotonicMs() + pacedFromMs - systemClock.nowMs();
  shard.receive({
    kind: 'run.start',
    run: {
      ...{ mode: 'replay', runId, runNo, sessionId: 'synthetic', accountId, speed: 1 },
      ...{ pacedFromMs, allFeeds: false, allowance: allowanceCell() },
    },
    timeline: artifact,
    endpoints,
    resumed: false,
    deleted: [],
    stopping: null,
    parking: false,
  });
  replyToBench({ kind: 'started', dueAtMs });
  await over;
  const { user, system } = process.cpuUsage(cpuBefore);
  await sql`update run set state = 'completed', ended_at = now() where run_id = ${runId}`;
  let logged = 0;
  await eachLoggedAttempt(sql, () => void logged++, runNo);
  const used = (await attemptsUsed(accountId)) - usedBefore;
  replyToBench({
    kind: 'sent',
    cpuUs: user + system,
    resumed: transport.traffic.resumed - resumedBefore,
    unrecorded: Math.abs(endpoints.length - logged) + Math.abs(endpoints.length - used),
  });
}

async function attemptsUsed(accountId: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select coalesce(sum(attempts), 0)::int as used from usage where account_id = ${accountId}`;
  return row!.used;
}

process.on('message', async (message: ToColdSender) => {
  switch (message.kind) {
    case 'aim':
      await aim(message.urls);
      break;
    case 'deliver':
      await deliver(message.leadMs);
      break;
    case 'count':
      replyToBench({ kind: 'connections', count: transport.traffic.connections });
      break;
    case 'measure':
      replyToBench({ kind: 'memory', ...(await collectedMemory()) });
      break;
  }
});
endWithTheBench(async () => {
  await shard.drain();
  transport.close();
  await database.close();
});
replyToBench({ kind: 'ready' });
