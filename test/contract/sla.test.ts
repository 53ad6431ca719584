// Limits rule 4 and Delivery rule 6: Custom's 99.5 % a month is measured, and GET /usage/sla says how it was kept.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIRST_ATTEMPT_MS_MAX } from '#engine/base/limits.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const service = await contractService({ after }, { ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' });
const { sql } = service;
const receiver = await startWebhookReceiver();
after(() => receiver.close());

const SESSION = '2026-monaco-race';
const month = new Date().toISOString().slice(0, 7);
const NOTHING = { receiver_busy: 0, paused: 0, deleted: 0, filtered: 0, monthly_limit: 0, replay_only: 0 };

let client: ContractClient;
let matched: number;

async function read(of: ContractClient, query = '') {
  const { status, body } = await of.call('GET', `/usage/sla${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

before(async () => {
  client = await service.client('custom');
  await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'] });
  const source = new OwnSource(service, SESSION);
  await source.upTo();
  await source.end();
  await eventually('the end of the live run', async () => {
    const { runs } = (await client.call('GET', '/live/runs')).body.data;
    matched = runs[0]?.matched ?? 0;
    return runs[0]?.state === 'completed';
  });
});

test('GET /usage/sla: every update of a live session that matched was due once, and most were begun in time', async () => {
  assert.ok(matched > 100, `${matched} updates`);
  const answer = await read(client);
  // How many are late depends on the machine of the test. With a clock of their own: test/delivery/shard/shard-punctuality.test.ts
  const { onTime, late, excluded, percentage, met } = answer;
  assert.ok(onTime > 0);
  assert.equal(onTime + late + excluded.receiver_busy, matched);
  assert.equal(percentage, Math.floor((1_000_000 * onTime) / (onTime + late)) / 10_000);
  assert.equal(met, percentage >= 99.5);
  assert.deepEqual(answer, {
    month,
    due: matched,
    onTime,
    late,
    excluded: { ...NOTHING, receiver_busy: excluded.receiver_busy },
    percentage,
    target: 99.5,
    met,
    withinMs: FIRST_ATTEMPT_MS_MAX,
    sessions: 1,
    sourceGapMinutes: 0,
    downtimeMinutes: 0,
    windowStart: `${month}-01T00:00:00.000Z`,
  });
  assert.equal((await read(client, `?month=${month}`)).due, matched, 'the month may be named');
});

test('the metric for operators adds up all accounts', async () => {
  const metrics = await (await fetch(`${service.process.operators}/metrics`)).text();
  const { onTime } = await read(client);
  assert.match(metrics, new RegExp(`^slipstream_due_updates_total\\{outcome="on_time"\\} ${onTime}$`, 'm'));
});

test('a month without live deliveries has no percentage, and a month is a month', async () => {
  const { due, percentage, met, sessions } = await read(client, '?month=2024-02');
  assert.deepEqual({ due, percentage, met, sessions }, { due: 0, percentage: null, met: null, sessions: 0 });
  for (const wrong of ['2026-13', '2026-1', '2026-11-01', 'november']) {
    const { status, body } = await client.call('GET', `/usage/sla?month=${wrong}`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], wrong);
    assert.equal(body.error, 'month must be a month such as 2026-11');
  }
  assert.equal((await client.call('GET', '/usage/sla?year=2026')).status, 400);
});

test('Limits rule 4: other plans have no such promise, and are told which one has', async () => {
  for (const plan of ['free', 'developer'] as const) {
    const { status, body } = await (await service.client(plan)).call('GET', '/usage/sla');
    assert.deepEqual([status, body.code], [403, 'insufficient_tier']);
    assert.match(body.error, /Custom/);
  }
});

test('a percentage is never rounded up to the target; gaps count as far as they lie in the month', async () => {
  const other = await service.client('custom');
  const add = (outcome: string, updates: number, day = '2025-03-01') => sql`
    insert into due_update (account_id, month, session_id, outcome, updates)
    values (${other.accountId}, ${day}, 'a-race', ${outcome}, ${updates})`;
  await add('on_time', 9_949_999);
  await add('late', 50_001);
  await add('receiver_busy', 7);
  await add('on_time', 995, '2025-04-01');
  await add('late', 5, '2025-04-01');
  await sql`insert into live_gap (session_id, cause, began_at, ended_at) values
    ('a-race', 'source', '2025-03-05T10:00:00Z', '2025-03-05T10:02:30Z'),
    ('a-race', 'source', '2025-03-31T23:59:00Z', '2025-04-01T00:03:00Z'),
    ('a-race', 'service', '2025-03-07T10:00:00Z', '2025-03-07T10:00:15Z'),
    ('another-race', 'service', '2025-03-07T10:00:00Z', '2025-03-07T11:00:00Z')`;
  const march = await read(other, '?month=2025-03');
  assert.deepEqual(
    [march.due, march.percentage, march.met, march.excluded, march.sourceGapMinutes, march.downtimeMinutes],
    [10_000_007, 99.4999, false, { ...NOTHING, receiver_busy: 7 }, 3.5, 0.25],
  );
  const april = await read(other, '?month=2025-04');
  assert.deepEqual([april.percentage, april.met, april.sourceGapMinutes, april.downtimeMinutes], [99.5, true, 3, 0]);
  assert.equal((await read(client, '?month=2025-03')).due, 0, 'each account has its own');
});

test('the counts go with the account', async () => {
  const other = await service.client('custom');
  await sql`insert into due_update values (${other.accountId}, '2025-03-01', 'a-race', 'on_time', 1)`;
  await sql`delete from account where account_id = ${other.accountId}`;
  assert.deepEqual([...(await sql`select from due_update where account_id = ${other.accountId}`)], []);
});
