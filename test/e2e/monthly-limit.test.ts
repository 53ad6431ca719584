// The monthly limit over eight real shard threads, with a real database and real sockets: several runs and endpoints at
// once, and exactly as many attempts in the log as the month has left.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { FREE_DELIVERIES_PER_MONTH } from '#api/plans/plan.ts';
import { Allowances } from '#api/usage/allowances.ts';
import { postgresUsageStore } from '#api/usage/postgres-usage-store.ts';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { Placement } from '#engine/delivery/cluster/placement.ts';
import { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { until } from '#test/support/api-harness.ts';
import { withDatabase } from '#test/support/database.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { shardThreads } from '#workers/shard-thread.ts';

const SHARDS = 8;
const UPDATES = 200;
const LEFT = 1_234;

test('W1, I1, I10: eight shard threads stop at exactly the monthly limit, and the log agrees', async () => {
  const { database, sql, dataDir } = await withDatabase({ after });
  const { firstDay } = monthOf(Date.now());
  await sql`insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values ('acc_1', 'a@example.org', 'free', 'cli_1', ''::bytea)`;
  await sql`insert into usage (account_id, month, feed_id, attempts)
    values ('acc_1', ${firstDay}, 'lap.count', ${BigInt(FREE_DELIVERIES_PER_MONTH - LEFT)})`;
  const receiver = await startWebhookReceiver();
  let problems = 0;
  let ready = 0;
  const startThread = shardThreads(randomUUID(), {
    dataDir,
    connection: database.connection,
    headerPrefix: 'X-Service',
    ownPorts: new Uint16Array(new SharedArrayBuffer(0)),
    logLevel: 'silent',
    replayToLocalhost: true,
    liveToLocalhost: false,
    meters: newMeters(SHARDS),
  });
  const router = new ShardRouter({
    shards: SHARDS,
    startShard: (shard, events) =>
      startThread(shard, {
        ...events,
        heard(message) {
          if (message.kind === 'ready') ready++;
          events.heard(message);
        },
      }),
    makeSnapshots: async () => null,
    schedule: systemClock.schedule,
    reportProblem: () => {
      problems++;
    },
  });
  const settled = new Map<string, () => void>();
  const listener = { firstAttempt: () => {}, settled: (runId: string) => settled.get(runId)?.() };
  const placement = new Placement(SHARDS);
  const endpoints = Array.from({ length: SHARDS }, (_, shard) => {
    let webhookId = newId('wh', Date.now(), systemRandomBytes);
    while (placement.shardOf(webhookId) !== shard) webhookId = newId('wh', Date.now(), systemRandomBytes);
    return endpointSettings({ webhookId, webhookNo: shard + 1, url: receiver.url });
  });
  const allowances = new Allowances(postgresUsageStore(sql), systemClock);
  const artifact = await sharedArtifact(steadyTimeline(UPDATES, 1));

  async function play(): Promise<void> {
    const runId = `run_${randomUUID()}`;
    const [run] = await sql<{ runNo: number }[]>`
      insert into run (run_id, account_id, session_id, speed, sinks, state, update_count, ended_at)
      values (${runId}, 'acc_1', 'small-race', 1, 'webhook', 'completed', ${UPDATES}, now()) returning run_no as "runNo"`;
    const allowance = await allowances.hold('acc_1');
    await new Promise<void>((resolve) => {
      settled.set(runId, resolve);
      const order = {
        mode: 'replay' as const,
        runId,
        runNo: run!.runNo,
        sessionId: 'small-race',
        accountId: 'acc_1',
        speed: 1,
        allowance,
      };
      router.startRun(
        { ...order, pacedFromMs: systemClock.nowMs(), allFeeds: false },
        artifact,
        endpoints,
        false,
        listener,
      );
    });
    allowances.release('acc_1');
  }

  // All are ready before it begins, so that they run at the same time.
  await until(() => ready === SHARDS);
  await Promise.all([play(), play()]);
  assert.equal(problems, 0);
  assert.equal(receiver.received.length, LEFT);
  const [counts] = await sql<{ logged: number; used: number; skipped: number }[]>`
    select ${loggedCount(sql)} as logged, sum(attempts)::int as used, sum(skipped)::int as skipped
    from usage where feed_id = 'timing.data'`;
  assert.deepEqual(counts, { logged: LEFT, used: LEFT, skipped: 2 * SHARDS * UPDATES - LEFT });
  const rows = await sql<{ matched: number; delivered: number; skipped: { monthly_limit?: number } }[]>`
    select matched, delivered, skipped from run_endpoint`;
  assert.equal(rows.length, 2 * SHARDS);
  for (const { matched, delivered, skipped } of rows) {
    assert.equal(matched, UPDATES);
    assert.equal(delivered + (skipped.monthly_limit ?? 0), UPDATES, 'I1');
  }
  const [latency] = await sql<{ samples: number }[]>`
    select sum(count)::int as samples from usage_latency, unnest(counts) as count`;
  assert.equal(latency!.samples, LEFT, 'one sample for each delivery');

  const again = await allowances.hold('acc_1');
  assert.ok(new Allowance(again).exhausted(Date.now()), 'M2: the database agrees');
  allowances.release('acc_1');
  await router.drain();
  await receiver.close();
});
