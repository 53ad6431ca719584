// "Limits" of the interface: the rows of its table, its rules, and the effects of a change of plan on a running service.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Plan } from '#api/plans/plan.ts';
import { BRIEF_SESSION } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { service } from './replay-service.ts';
import { deliveryLog, endedRun } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

const { sql, mails, admin } = service;
const HOOK = { webhookUrl: 'http://localhost:9/hook' };
const FREE_FEEDS = [
  'session.info',
  'session.status',
  'track.status',
  'race-control.messages',
  'lap.count',
  'weather.data',
];
const opened: WebhookReceiver[] = [];
after(() => Promise.all(opened.map((receiver) => receiver.close())));

before(async () => prepare(await service.client('free'), BRIEF_SESSION));

async function receiving(client: ContractClient, body: Record<string, unknown> = { feedIds: ['*'] }) {
  const receiver = await startWebhookReceiver();
  opened.push(receiver);
  return { receiver, webhookId: await client.webhook({ webhookUrl: receiver.url, ...body }) };
}

/** Sets the account's usage of this month to this many delivered attempts. */
async function delivered({ accountId }: ContractClient, attempts: number): Promise<void> {
  await sql`insert into usage (account_id, month, feed_id, attempts, succeeded)
    values (${accountId}, date_trunc('month', now() at time zone 'utc')::date, 'lap.count', ${attempts}, ${attempts})
    on conflict (account_id, month, feed_id, day) do update set attempts = excluded.attempts, succeeded = excluded.attempts`;
}

/** The mails to an account, with their headers, once `count` of them have arrived. */
async function warnings({ email }: ContractClient, count: number): Promise<string[]> {
  const own = () => mails.filter(({ to }) => to === email).map(({ text }) => text);
  await eventually(`${count} mails`, () => own().length >= count);
  return own();
}

const usageOf = async (client: ContractClient) => (await client.call('GET', '/usage')).body.data;
const putOn = ({ email }: ContractClient, plan: Plan, ...more: string[]) =>
  admin(['account', 'plan', email, plan, ...more]);

test('Webhook endpoints, 3 and 25; rule 1: creating an endpoint past the limit gives 402, and deleting one makes room', async () => {
  for (const [plan, name, room] of [
    ['free', 'Free', 3],
    ['developer', 'Developer', 25],
  ] as const) {
    const client = await service.client(plan);
    const create = () => client.call('POST', '/webhooks', { ...HOOK, feedId: 'lap.count' });
    const answers = await Promise.all(Array.from({ length: 50 }, create));
    assert.equal(answers.filter(({ status }) => status === 201).length, room, `${plan}, fifty at once`);
    for (const { status, body } of answers) {
      if (status !== 201) assert.deepEqual([status, body.code], [402, 'plan_limit_reached']);
    }
    const { endpoints, total } = (await client.call('GET', '/webhooks?limit=100')).body.data;
    assert.deepEqual([endpoints.length, total], [room, room]);
    assert.match((await create()).body.error, new RegExp(`${name} has room for ${room} endpoints.*delete one`));
    await client.call('DELETE', `/webhooks/${endpoints[0].webhookId}`);
    assert.deepEqual([(await create()).status, (await create()).status], [201, 402]);
  }
});

test('Feeds per endpoint, 6 and unlimited; rule 1: a seventh on Free gives 402', async () => {
  const free = await service.client('free');
  await free.webhook({ feedIds: FREE_FEEDS });
  const seven = await free.call('POST', '/webhooks', { ...HOOK, feedIds: [...FREE_FEEDS, 'timing.data'] });
  assert.equal(seven.status, 402);
  const developer = await service.client('developer');
  const { feeds } = (await developer.call('GET', '/feeds')).body.data;
  const open = feeds.filter(({ availability }: { availability: string }) => availability !== 'analytics');
  const feedIds = open.map(({ feedId }: { feedId: string }) => feedId);
  assert.ok(feedIds.length > 6);
  await developer.webhook({ feedIds });
});

test('API requests per hour: 600 and 1,800', async () => {
  for (const [plan, limit] of [
    ['free', '600'],
    ['developer', '1800'],
  ] as const) {
    const { headers } = await (await service.client(plan)).call('GET', '/feeds');
    assert.equal(headers.get('x-ratelimit-limit'), limit);
  }
});

test('Rule 3: free feeds are on every plan, live feeds need Developer, and analytics feeds need Custom', async () => {
  for (const plan of ['free', 'developer', 'custom'] as const) {
    const client = await service.client(plan);
    for (const feedId of ['session.status', 'race-control.messages']) await client.webhook({ feedId });
    const { status, body } = await client.call('POST', '/webhooks', { ...HOOK, feedId: 'timing.data' });
    assert.equal(status, plan === 'free' ? 402 : 201);
    const odds = await client.call('POST', '/webhooks', { ...HOOK, feedId: 'analytics.race-odds' });
    assert.equal(odds.status, { free: 403, developer: 402, custom: 201 }[plan]);
    if (plan !== 'free') continue;
    assert.equal(body.code, 'tier_required');
    assert.match(body.error, /timing\.data needs Developer/);
  }
});

test('Rule 4: Custom has more endpoints than Developer, and no bucket', async () => {
  const client = await service.client('custom');
  for (let made = 0; made < 26; made++) await client.webhook();
  const { includedDeliveries, deliveryLimit } = await usageOf(client);
  assert.deepEqual([includedDeliveries, deliveryLimit], [null, null]);
});

// Each test has its own account, so replays can run in parallel.
describe('Deliveries per month', { concurrency: 4 }, () => {
  test('Free: exactly 5,000; deliveries past them are skipped as monthly_limit until the month rolls over', async () => {
    const client = await service.client('free');
    await delivered(client, 4_850);
    const endpoints = [await receiving(client), await receiving(client), await receiving(client)];
    const run = await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.equal(
      endpoints.reduce((sum, { receiver }) => sum + receiver.received.length, 0),
      150,
    );
    let logged = 0;
    for (const { webhookId } of endpoints) logged += (await deliveryLog(client, webhookId)).length;
    assert.equal(logged, 150);
    let skipped = 0;
    for (const endpoint of run.endpoints) {
      assert.deepEqual([endpoint.matched, endpoint.failed], [101, 0]);
      assert.equal(endpoint.delivered + endpoint.skipped.monthly_limit!, 101);
      skipped += endpoint.skipped.monthly_limit!;
    }
    assert.equal(skipped, 3 * 101 - 150);
    const { deliveryCount, skippedCount, deliveryLimit } = await usageOf(client);
    assert.deepEqual([deliveryCount, skippedCount, deliveryLimit], [5_000, 153, 5_000]);

    const test = await client.call('POST', `/webhooks/${endpoints[0]!.webhookId}/test`);
    assert.match(test.body.data.errorMessage, /monthly/);
    assert.equal((await usageOf(client)).deliveryCount, 5_000);

    // To simulate a new month, the counts are moved into the last month.
    await sql`update usage set month = month - interval '1 month' where account_id = ${client.accountId}`;
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.equal((await usageOf(client)).deliveryCount, 303);
  });

  test('Rule 6: the user is warned by mail once at 80 % and once when the bucket is used up', async () => {
    const client = await service.client('free');
    await receiving(client);
    await delivered(client, 3_898);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.equal((await usageOf(client)).deliveryCount, 3_999, 'one less than 80 %');
    await delivered(client, 3_998);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const [near] = await warnings(client, 1);
    assert.match(near!, /^Subject: .*80 % of this month/m);
    assert.match(near!, /includes 5,000 a month/);
    await delivered(client, 4_950);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const [, reached] = await warnings(client, 2);
    assert.match(reached!, /^Subject: .*included deliveries are used/m);
    assert.match(reached!, /skipped until the month ends/);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const rows = await sql`select level from bucket_warning where account_id = ${client.accountId}`;
    assert.equal(rows.length, 2);
    assert.equal((await warnings(client, 2)).length, 2);
  });

  test('Developer: delivery continues past 50,000, and the overage costs $3 per 1,000', async () => {
    const client = await service.client('developer');
    const { receiver } = await receiving(client);
    await delivered(client, 49_900);
    const [endpoint] = (await endedRun(client, await replay(client, BRIEF_SESSION))).endpoints;
    const { matched } = endpoint!;
    assert.equal(receiver.received.length, matched);
    const { deliveryCount, includedDeliveries, overageCount, overageCost, skippedCount } = await usageOf(client);
    const over = matched - 100;
    assert.deepEqual([deliveryCount, includedDeliveries, overageCount], [49_900 + matched, 50_000, over]);
    assert.deepEqual([overageCost, skippedCount], [(over * 3) / 1_000, 0]);
  });

  test("Developer: past the operator's spend cap deliveries are skipped, and the user gets a mail", async () => {
    const client = await service.client('developer');
    const { receiver } = await receiving(client);
    const set = await putOn(client, 'developer', '--spend-cap', '1');
    assert.equal(set.spendCap, 1);
    await delivered(client, 50_300);
    const [endpoint] = (await endedRun(client, await replay(client, BRIEF_SESSION))).endpoints;
    assert.equal(receiver.received.length, 33, 'a dollar pays for 333');
    assert.equal(endpoint!.skipped.monthly_limit, endpoint!.matched - 33);
    const { deliveryCount, deliveryLimit, overageCost } = await usageOf(client);
    assert.deepEqual([deliveryCount, deliveryLimit, overageCost], [50_333, 50_333, 0.999]);
    assert.match((await warnings(client, 3)).join('\n'), /^Subject: .*spend cap is reached/m);
  });

  test('An upgrade during a replay: deliveries resume after an exhausted bucket, and `*` includes more feeds', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client);
    await delivered(client, 4_990);
    const stream = `/simulate/stream?session=${BRIEF_SESSION}&speed=2&sinks=webhook`;
    const { runId } = (await client.call('GET', stream)).body.data;
    await eventually('the end of the bucket', async () => (await usageOf(client)).skippedCount > 0, 20_000, 100);
    assert.equal(receiver.received.length, 10);
    await putOn(client, 'developer');
    await eventually('a live feed', () => receiver.received.some(({ feed }) => feed === 'timing.data'));
    await endedRun(client, runId);
  });
});

describe('Changes of plan', { concurrency: 3 }, () => {
  test('account plan: an upgrade or downgrade applies at once on a running service, with the same token', async () => {
    const client = await service.client('free');
    const create = async () => (await client.call('POST', '/webhooks', { ...HOOK, feedId: 'timing.data' })).status;
    const limit = async () => (await client.call('GET', '/feeds')).headers.get('x-ratelimit-limit');
    const scores = async () => (await client.call('GET', '/fantasy/session/some-race/scores')).status;
    assert.deepEqual([await create(), await limit(), await scores()], [402, '600', 403]);
    for (const [plan, expected] of [
      ['developer', [201, '1800', 200]],
      ['custom', [201, '36000', 200]],
      ['free', [402, '600', 403]],
    ] as const) {
      await putOn(client, plan);
      await eventually(`the requests of ${plan}`, async () => (await limit()) === expected[1], 5_000);
      assert.deepEqual([await create(), await limit(), await scores()], expected);
    }
  });

  test('A downgrade during a replay: live feeds stop and are shown as suspended, free feeds continue, and the configuration is kept', async () => {
    const client = await service.client('developer');
    const { receiver } = await receiving(client, { feedIds: ['timing.data', 'lap.count'] });
    const stream = `/simulate/stream?session=${BRIEF_SESSION}&speed=2&sinks=webhook`;
    const { runId } = (await client.call('GET', stream)).body.data;
    const of = (feed: string) => receiver.received.filter((delivery) => delivery.feed === feed).length;
    await eventually('timing', () => of('timing.data') > 5);
    await putOn(client, 'free');
    const suspended = async (): Promise<Record<string, unknown>> => {
      const [endpoint] = (await client.call('GET', '/webhooks')).body.data.endpoints;
      const reasons = endpoint.subscriptions.map(({ feedId, suspended }: Record<string, string>) => [
        feedId,
        suspended,
      ]);
      return { plan: endpoint.subscriptionTier, active: endpoint.active, ...Object.fromEntries(reasons) };
    };
    const stopped = { plan: 'free', active: true, 'timing.data': 'tier', 'lap.count': null };
    await eventually('the downgrade', async () => (await suspended()).plan === 'free');
    assert.deepEqual(await suspended(), stopped);
    const [timing, laps] = [of('timing.data'), of('lap.count')];
    await endedRun(client, runId);
    // One attempt may have been in flight.
    assert.ok(of('timing.data') <= timing + 1, `${timing} before, ${of('timing.data')} in the end`);
    assert.ok(of('lap.count') > laps + 10, `${laps} before, ${of('lap.count')} in the end`);
    await putOn(client, 'developer');
    await eventually('the upgrade', async () => (await suspended())['timing.data'] === null);
    const before = of('timing.data');
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.ok(of('timing.data') > before + 100);
  });

  test('A downgrade below the number of endpoints: the oldest stay active, and the others are shown as suspended', async () => {
    const client = await service.client('developer');
    const endpoints = [];
    for (let made = 0; made < 4; made++) endpoints.push(await receiving(client, { feedId: 'session.status' }));
    await putOn(client, 'free');
    const shown = async (): Promise<(string | null)[]> => {
      const { endpoints } = (await client.call('GET', '/webhooks')).body.data;
      return endpoints.map(({ suspended }: { suspended: string | null }) => suspended);
    };
    await eventually('the downgrade', async () => (await shown()).includes('endpoint_limit'));
    assert.deepEqual(await shown(), [null, null, null, 'endpoint_limit']);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.deepEqual(
      endpoints.map(({ receiver }) => receiver.received.length),
      [4, 4, 4, 0],
    );
  });
});
