// What GET /v1/usage and its sub-routes return, and how the monthly limit applies to runs, tests and plan changes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { MeterEvent, UsageMeter } from '#api/billing/overage/usage-meter.ts';
import { DEVELOPER_DELIVERIES_PER_MONTH, FREE_DELIVERIES_PER_MONTH } from '#api/plans/plan.ts';
import { DEMO_DELIVERIES_FREE_MAX } from '#engine/base/limits.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { LATENCY_RELATIVE_ERROR, LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { settleRun, start } from './replay-calls.ts';

const api = await withApi({ after });
const { firstDay } = monthOf(Date.now());
const windowStart = `${firstDay}T00:00:00.000Z`;
await api.session('2026-monza-race', { timeline: steadyTimeline(10, 10) });
await api.session('2026-status-race', { timeline: steadyTimeline(10, 10, 'session.status') });
await api.session('demo-race', { demo: true, timeline: steadyTimeline(10, 10) });

async function used(client: Client, attempts: number, feedId = 'session.status', month = firstDay): Promise<void> {
  await api.sql`
    insert into usage (account_id, month, feed_id, attempts, succeeded) values
      (${client.accountId}, ${month}, ${feedId}, ${BigInt(attempts)}, ${BigInt(attempts)})
    on conflict (account_id, month, feed_id, day) do update set attempts = excluded.attempts`;
}

async function usageOf(client: Client) {
  const { status, body } = await client.call('GET', '/v1/usage');
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Whether the allowance of the run started last ends at exactly `limit` attempts this month. */
function left(limit: number): boolean {
  const { run } = api.control.started.at(-1)!;
  const allowance = new Allowance(run.allowance);
  const taken = allowance.used(Date.now());
  for (let i = taken; i < limit; i++) if (!allowance.take(Date.now())) return false;
  const none = !allowance.take(Date.now());
  for (let i = taken; i < limit; i++) allowance.giveBack(Date.now());
  return none;
}

test('I10: usage adds up the attempts of this calendar month', async () => {
  const client = await api.client('free');
  const size = { includedDeliveries: FREE_DELIVERIES_PER_MONTH, deliveryLimit: FREE_DELIVERIES_PER_MONTH };
  const owed = { overageCount: 0, overageCost: 0 };
  const nothingStreamed = { streamedCount: 0, demoStreamedCount: 0 };
  const none = {
    deliveryCount: 0,
    demoDeliveryCount: 0,
    successCount: 0,
    failureCount: 0,
    skippedCount: 0,
    ...nothingStreamed,
  };
  const overage = { count: 0, cost: 0, reportedCount: 0, spendCap: null };
  assert.deepEqual(await usageOf(client), { ...none, ...size, ...owed, overage, windowStart });
  const rows = [
    [firstDay, 'timing.data', 100n, 90n, 10n, 5n],
    [firstDay, 'session.status', 3n, 3n, 0n, 0n],
    [firstDay, 'weather.data', 0n, 0n, 0n, 7n],
    ['2001-01-01', 'timing.data', 9n, 9n, 0n, 0n],
  ] as const;
  for (const [day, feedId, attempts, succeeded, failed, skipped] of rows) {
    await api.sql`insert into usage values (${client.accountId}, ${day}, ${feedId}, ${attempts}, ${succeeded}, ${failed}, ${skipped})`;
  }
  const counts = {
    deliveryCount: 103,
    demoDeliveryCount: 0,
    successCount: 93,
    failureCount: 10,
    skippedCount: 12,
    ...nothingStreamed,
  };
  assert.deepEqual(await usageOf(client), { ...counts, ...size, ...owed, overage, windowStart });
  // What was counted by month only, by an earlier version, has no day.
  await api.sql`
    insert into usage (account_id, month, day, feed_id, attempts, streamed) values
      (${client.accountId}, ${firstDay}, 2, 'timing.data', 5, 0),
      (${client.accountId}, ${firstDay}, 11, 'timing.data', 7, 1), (${client.accountId}, '2001-01-01', 3, 'timing.data', 9, 0)`;
  const byFeed = await client.call('GET', '/v1/usage/by-feed');
  const month = firstDay.slice(0, 7);
  assert.deepEqual(byFeed.body.data, {
    byFeed: [
      { feedId: 'session.status', deliveryCount: 3, streamedCount: 0, byDay: [] },
      {
        feedId: 'timing.data',
        deliveryCount: 112,
        streamedCount: 1,
        byDay: [
          { date: `${month}-02`, deliveryCount: 5, streamedCount: 0 },
          { date: `${month}-11`, deliveryCount: 7, streamedCount: 1 },
        ],
      },
    ],
    windowStart,
  });
  assert.equal((await usageOf(client)).deliveryCount, 115);
});

test('on Developer, deliveries past the included ones are counted, priced, and limited by the spend cap', async () => {
  const client = await api.client('developer');
  // 50 US dollars pay for 16,666 at 3 dollars per 1,000.
  const limit = DEVELOPER_DELIVERIES_PER_MONTH + 16_666;
  await used(client, DEVELOPER_DELIVERIES_PER_MONTH);
  const before = await usageOf(client);
  assert.deepEqual([before.overageCount, before.overageCost, before.deliveryLimit], [0, 0, limit]);
  await used(client, DEVELOPER_DELIVERIES_PER_MONTH + 1);
  const one = await usageOf(client);
  assert.deepEqual([one.overageCount, one.overageCost], [1, 0.003]);
  await used(client, limit);
  const all = await usageOf(client);
  assert.deepEqual(
    [all.overageCount, all.overageCost, all.includedDeliveries],
    [16_666, 49.998, DEVELOPER_DELIVERIES_PER_MONTH],
  );
  assert.deepEqual(all.overage, { count: 16_666, cost: 49.998, reportedCount: 0, spendCap: 50 });
  await api.sql`update account set spend_cap_cents = 0 where account_id = ${client.accountId}`;
  assert.equal((await usageOf(client)).deliveryLimit, DEVELOPER_DELIVERIES_PER_MONTH);
});

test('with a meter at the payment provider, usage shows what it has of the month', async () => {
  const client = await api.client('developer');
  const customerId = `cus_${client.accountId}`;
  await api.sql`update account set stripe_customer_id = ${customerId} where account_id = ${client.accountId}`;
  await used(client, DEVELOPER_DELIVERIES_PER_MONTH + 1_000);
  const reported: MeterEvent[] = [];
  const usageMeter: UsageMeter = {
    async report(event) {
      reported.push(event);
      return { kind: 'accepted' };
    },
    total: async () => ({ kind: 'counted', attempts: 0 }),
  };
  await withApi({ after }, { sql: api.sql, usageMeter });
  await until(async () => (await usageOf(client)).overage.reportedCount === 1_000);
  assert.deepEqual((await usageOf(client)).overage, { count: 1_000, cost: 3, reportedCount: 1_000, spendCap: 50 });
  assert.deepEqual(
    reported.map((event) => [event.customerId, event.value]),
    [[customerId, 1_000]],
  );
});

test('on Custom, deliveries are neither limited nor billed individually', async () => {
  const client = await api.client('custom');
  await used(client, 3_000_000);
  const { includedDeliveries, deliveryLimit, overageCount, overageCost } = await usageOf(client);
  assert.deepEqual([includedDeliveries, deliveryLimit, overageCount, overageCost], [null, null, 0, 0]);
});

test('latency quantiles are reported by feed, within the stated error', async () => {
  const client = await api.client('free');
  const none = await client.call('GET', '/v1/usage/latency');
  assert.deepEqual(none.body, { data: { byFeed: [], relativeError: 0.02, windowStart } });
  const sketch = new LatencySketch();
  for (let latencyMs = 1; latencyMs <= 1_000; latencyMs++) sketch.add(latencyMs);
  await api.sql`insert into usage_latency values
    (${client.accountId}, ${firstDay}, 'session.status', ${[...sketch.take()]}),
    (${client.accountId}, ${firstDay}, 'lap.count', ${[0, 1]}),
    (${client.accountId}, '2001-01-01', 'weather.data', ${[1]})`;
  const { status, body } = await client.call('GET', '/v1/usage/latency');
  assert.equal(status, 200);
  assert.equal(body.data.relativeError, LATENCY_RELATIVE_ERROR);
  const [laps, session, ...others] = body.data.byFeed;
  assert.deepEqual(
    [laps.feedId, laps.sampleCount, session.feedId, session.sampleCount],
    ['lap.count', 1, 'session.status', 1_000],
  );
  assert.equal(others.length, 0);
  for (const [reported, exact] of [
    [session.p50, 500],
    [session.p95, 950],
    [session.p99, 990],
  ]) {
    assert.ok(Math.abs(reported - exact) <= 0.02 * exact, `${reported} for ${exact}`);
  }
  assert.equal((await api.call('GET', '/v1/usage/latency')).status, 401);
});

test('a run may start as many attempts as the account has left this month', async () => {
  const client = await api.client('free');
  await client.webhook();
  await used(client, 4_000);
  await used(client, 900, 'lap.count');
  await used(client, 4_999, 'lap.count', '2001-01-01');
  const runId = await start(client);
  assert.equal(new Allowance(api.control.started.at(-1)!.run.allowance).used(Date.now()), 4_900);
  assert.ok(left(FREE_DELIVERIES_PER_MONTH));
  // While the run is active, the cell in memory is authoritative. It already contains the usage committed here.
  await used(client, 4_950);
  const webhookId = await client.webhook();
  await client.call('POST', `/v1/webhooks/${webhookId}/test`);
  assert.equal(
    api.control.tests.at(-1)!.allowance,
    api.control.started.at(-1)!.run.allowance,
    'the run and the test share one cell',
  );
  assert.ok(left(FREE_DELIVERIES_PER_MONTH));
  // Once the run has ended, the database is authoritative.
  await settleRun(api, client, runId);
  await client.call('POST', `/v1/webhooks/${webhookId}/test`);
  assert.equal(new Allowance(api.control.tests.at(-1)!.allowance).used(Date.now()), 5_850);
});

test('M5: deliveries of the demo session take nothing from the month, and have a bound of their own', async () => {
  const client = await api.client('free');
  await client.webhook();
  await used(client, FREE_DELIVERIES_PER_MONTH);
  const runId = await start(client, 'session=demo-race');
  assert.ok(left(DEMO_DELIVERIES_FREE_MAX));
  await api.sql`
    update usage set attempts = attempts + 700, demo_attempts = 700 where account_id = ${client.accountId}`;
  await settleRun(api, client, runId);
  const { deliveryCount, demoDeliveryCount, overageCount } = await usageOf(client);
  assert.deepEqual([deliveryCount, demoDeliveryCount, overageCount], [FREE_DELIVERIES_PER_MONTH + 700, 700, 0]);
  await settleRun(api, client, await start(client));
  assert.equal(new Allowance(api.control.started.at(-1)!.run.allowance).used(Date.now()), FREE_DELIVERIES_PER_MONTH);
  await settleRun(api, client, await start(client, 'session=demo-race'));
  assert.equal(new Allowance(api.control.started.at(-1)!.run.allowance).used(Date.now()), 700);
});

test('the start of a replay says how many deliveries it has and how many are left, and warns when they are too few', async () => {
  const client = await api.client('free');
  await client.webhook({ feedId: 'session.status' });
  const paused = await client.webhook();
  await client.call('PATCH', `/v1/webhooks/${paused}`, { active: false });
  const begin = async (session: string) => {
    const { body } = await client.call('GET', `/v1/simulate/stream?sinks=webhook&session=${session}`);
    await settleRun(api, client, body.data.runId);
    return body.data;
  };
  const plenty = await begin('2026-status-race');
  assert.deepEqual([plenty.endpoints, plenty.activeEndpoints, plenty.pausedEndpoints], [2, 1, 1]);
  assert.deepEqual(
    [plenty.expectedDeliveries, plenty.deliveriesLeft, plenty.warning],
    [10, FREE_DELIVERIES_PER_MONTH, null],
  );
  await used(client, FREE_DELIVERIES_PER_MONTH - 9);
  const short = await begin('2026-status-race');
  assert.deepEqual([short.expectedDeliveries, short.deliveriesLeft], [10, 9]);
  assert.match(short.warning, /up to 10 deliveries, and this account has 9 deliveries left this month.*monthly_limit/);
  const demo = await begin('demo-race');
  assert.deepEqual([demo.expectedDeliveries, demo.deliveriesLeft, demo.warning], [10, DEMO_DELIVERIES_FREE_MAX, null]);
});

test('a changed plan or spend cap applies to deliveries under way', async () => {
  const client = await api.client('free');
  await client.webhook();
  await used(client, FREE_DELIVERIES_PER_MONTH);
  const runId = await start(client);
  const allowance = new Allowance(api.control.started.at(-1)!.run.allowance);
  assert.ok(allowance.exhausted(Date.now()));
  await api.sql`update account set plan = 'developer' where account_id = ${client.accountId}`;
  await until(() => !allowance.exhausted(Date.now()));
  assert.ok(left(DEVELOPER_DELIVERIES_PER_MONTH + 16_666));
  await api.sql`update account set spend_cap_cents = 300 where account_id = ${client.accountId}`;
  await until(() => left(DEVELOPER_DELIVERIES_PER_MONTH + 1_000));
  await api.sql`update account set plan = 'custom' where account_id = ${client.accountId}`;
  await until(() => !left(DEVELOPER_DELIVERIES_PER_MONTH + 1_000));
  for (let i = 0; i < 10; i++) allowance.take(Date.now());
  await api.sql`update account set plan = 'free' where account_id = ${client.accountId}`;
  await until(() => allowance.exhausted(Date.now()));
  await settleRun(api, client, runId);
});

test('an account that nears its limit during a run gets a mail', async () => {
  const client = await api.client('free');
  await client.webhook();
  await used(client, 4_000);
  const runId = await start(client);
  await until(() => api.mailer.sent.some(({ kind, text }) => kind === 'bucket-near' && text.includes('used 4,000 ')));
  await settleRun(api, client, runId);
});

test('a run resumed after a restart starts with the usage in the database', async () => {
  const client = await api.client('free');
  await client.webhook();
  const runId = await start(client);
  await used(client, 4_321);
  const { app, control } = await api.restarted();
  await app.start();
  const { run, resumed } = control.started.find((started) => started.run.runId === runId)!;
  assert.equal(resumed, true);
  assert.equal(new Allowance(run.allowance).used(Date.now()), 4_321);
  control.listener.settled(runId);
});
