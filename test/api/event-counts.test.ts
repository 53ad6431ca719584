import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseEmail } from '#api/accounts/email-address.ts';
import { LoginGuard } from '#api/accounts/login-guard.ts';
import { RecipientLimit } from '#api/accounts/recipient-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import { MemoryEventCounts } from '#api/http/memory-event-counts.ts';
import { PostgresEventCounts } from '#api/http/postgres-event-counts.ts';
import { LOGIN_FAILURES_MAX, LOGIN_NETWORK_FAILURES_MAX, MAILS_TO_ADDRESS_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type EventCountsHarness, eventCountsConformance } from '#test/conformance/event-counts.ts';
import { withDatabase } from '#test/support/database.ts';

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
