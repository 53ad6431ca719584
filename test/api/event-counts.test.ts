import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseEmail } from '#api/accounts/email-address.ts';
import { LoginGuard } from '#api/accounts/login-guard.ts';
import { RecipientLimit } from '#api/accounts/recipient-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import { MemoryEventCounts } from '#api/http/memory-event-counts.ts';
import type { Caller } from '#api/http/operation.ts';
import { PostgresEventCounts } from '#api/http/postgres-event-counts.ts';
import { postgresRequestCounts } from '#api/http/postgres-request-counts.ts';
import { QuotaKeeper, type RequestCountStore } from '#api/http/quota-keeper.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  LOGIN_FAILURES_MAX,
  LOGIN_NETWORK_FAILURES_MAX,
  MAILS_TO_ADDRESS_MAX,
  QUOTA_SAVE_MS,
} from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type EventCountsHarness, eventCountsConformance } from '#test/conformance/event-counts.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const { sql } = await withDatabase({ after });

async function ofTwoNodes(): Promise<EventCountsHarness> {
  await sql`truncate recent_event`;
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, wallMs: () => nowMs };
  return {
    here: new PostgresEventCounts(sql, clock),
    there: new PostgresEventCounts(sql, clock),
    async pass(ms) {
      nowMs += ms;
      await sql`update recent_event set at = at - ${ms} * interval '1 ms'`;
    },
  };
}

eventCountsConformance('of a service alone', async () => {
  let nowMs = 0;
  const counts = new MemoryEventCounts({ nowMs: () => nowMs, wallMs: () => nowMs });
  return {
    here: counts,
    there: counts,
    pass: async (ms) => {
      nowMs += ms;
    },
  };
});
eventCountsConformance('of a cluster', ofTwoNodes);

test('EC2: a flood that is refused does not ask the database each time', async () => {
  let asked = 0;
  const counted = new Proxy(sql, {
    get: (target, name) => {
      if (name !== 'begin') return Reflect.get(target, name);
      asked++;
      return target.begin.bind(target);
    },
  }) as Sql;
  await sql`truncate recent_event`;
  let nowMs = 0;
  const counts = new PostgresEventCounts(counted, { nowMs: () => nowMs, wallMs: () => 0 });
  const limit = { name: 'tries', rate: { requests: 1, windowMs: 60_000 } };
  for (let i = 0; i < 50; i++) await counts.take([{ limit, key: 'ada' }]);
  assert.equal(asked, 2);
  nowMs += 1_000;
  await counts.take([{ limit, key: 'ada' }]);
  assert.equal(asked, 3);
});

const exceeded = (error: unknown): boolean => error instanceof ApiError && error.code === 'rate_limit_exceeded';

test('LG3: failures from many networks count together, whichever nodes are their homes; networks known to the owner are still admitted, and LG2 holds for them', async () => {
  const { here, there } = await ofTwoNodes();
  const guards = [new LoginGuard(here), new LoginGuard(there)];
  const email = parseEmail('Ada@example.org')!;
  const { requests } = LOGIN_FAILURES_MAX;
  for (let i = 0; i < requests; i++) await guards[i % 2]!.admit(email, `10.0.${i}`, false);
  for (const guard of guards) {
    await assert.rejects(guard.admit(email, '10.9.9', false), exceeded);
    await guard.admit(email, '192.0.2', true);
  }
  for (let i = 2; i < LOGIN_NETWORK_FAILURES_MAX.requests; i++) await guards[i % 2]!.admit(email, '192.0.2', true);
  for (const guard of guards) await assert.rejects(guard.admit(email, '192.0.2', true), exceeded);
});

test('mails to one mailbox are limited over all nodes', async () => {
  const { here, there } = await ofTwoNodes();
  const limits = [new RecipientLimit(here), new RecipientLimit(there)];
  for (let i = 0; i < MAILS_TO_ADDRESS_MAX.requests; i++) await limits[i % 2]!.admit(parseEmail(`a+${i}@example.org`)!);
  for (const limit of limits) await assert.rejects(limit.admit(parseEmail('A@example.org')!), exceeded);
});

const HOUR_MS = 3_600_000;
const ADA: Caller = { accountId: 'acc_ada', plan: 'free' };
const BOB: Caller = { accountId: 'acc_bob', plan: 'free' };

/** The quotas of one node. */
function quotasOfNode(time: SimulatedTime, store: RequestCountStore = postgresRequestCounts(sql)) {
  const quota = new RequestQuota(time, true);
  const keeper = new QuotaKeeper({ quota, store, clock: time, log: silentLog });
  return {
    quota,
    keeper,
    /** Takes so many requests. Returns how many the account has made then. */
    take(caller: Caller, times = 1): number {
      let made = 0;
      for (let i = 0; i < times; i++) {
        const { limit, remaining } = quota.take(caller);
        made = limit - remaining;
      }
      return made;
    },
  };
}

async function twoNodes() {
  await sql`truncate request_count`;
  const time = new SimulatedTime();
  return { time, one: quotasOfNode(time), two: quotasOfNode(time) };
}

test('QK1: an account that gets another home has the quota that is left of the hour, there and back; others stay', async () => {
  const { one, two } = await twoNodes();
  const console: Caller = { ...ADA, fromConsole: true };
  one.take(ADA, 5);
  one.take(console, 2);
  one.take(BOB, 3);
  const isAda = (accountId: string): boolean => accountId === ADA.accountId;
  await one.keeper.save();
  // One comes before the counts do, and what is gained is gained again when something else of it fails.
  assert.equal(two.take(ADA), 1);
  await two.keeper.gain(isAda);
  await two.keeper.gain(isAda);
  assert.deepEqual([two.take(ADA), two.take(console)], [7, 3]);
  assert.deepEqual([one.take(BOB), two.take(BOB)], [4, 1]);
  await two.keeper.save();
  await one.keeper.gain(isAda);
  assert.equal(one.take(ADA), 8);
});

test('QK2: the next home of an account whose node died goes on from what was saved, in the same hour', async () => {
  const { time, one, two } = await twoNodes();
  one.keeper.start();
  one.take(ADA, 5);
  await time.pass(QUOTA_SAVE_MS);
  while ((await sql`select from request_count`).length === 0) await systemClock.sleep(5);
  one.take(ADA, 2);
  await two.keeper.gain(() => true);
  assert.equal(two.take(ADA), 6);
  await two.keeper.close();
  await time.pass(HOUR_MS);
  const three = quotasOfNode(time);
  // It was asked for before the hour turned.
  three.quota.learn([{ accountId: ADA.accountId, fromConsole: false, hour: three.quota.hour - 1, requests: 6 }]);
  await three.keeper.gain(() => true);
  assert.deepEqual([two.take(ADA), three.take(ADA)], [1, 1]);
  await one.keeper.close();
});

test('counts that the database did not take are saved later, and who lets go of an account hears of it', async () => {
  const { time, two } = await twoNodes();
  const store = postgresRequestCounts(sql);
  let isAway = true;
  const add: RequestCountStore['add'] = (counts) =>
    isAway ? Promise.reject(new Error('the database is away')) : store.add(counts);
  const one = quotasOfNode(time, { ...store, add });
  one.take(ADA, 5);
  await assert.rejects(one.keeper.save());
  assert.equal(one.take(ADA), 6);
  isAway = false;
  await one.keeper.save();
  await two.keeper.gain(() => true);
  assert.equal(two.take(ADA), 7);
});
