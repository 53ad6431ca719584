import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { UNVERIFIED_ACCOUNT_DAYS } from '#engine/base/limits.ts';
import { purgeUnverifiedAccounts } from '#engine/storage/account-retention.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15);
const LIMIT = new Date(NOW_MS - UNVERIFIED_ACCOUNT_DAYS * DAY_MS);
const OLD = new Date(LIMIT.getTime() - 1);
const pace = { clock: systemClock, isClosing: () => false };

const { sql } = await withDatabase({ after });

beforeEach(async () => {
  await sql`truncate account, usage cascade`;
});

async function account(id: string, createdAt = OLD): Promise<void> {
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, created_at)
    values (${id}, ${id}, 'free', ${id}, '', ${createdAt})`;
}

async function link(id: string, expiresAt = OLD): Promise<void> {
  await sql`insert into email_verification values (${Buffer.from(id)}, ${id}, '', null, ${expiresAt})`;
}

async function accounts(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select account_id as id from account order by 1`;
  return rows.map(({ id }) => id);
}

test('an account that was never verified is removed after its time, and one that anything hangs on stays', async () => {
  const keep: Readonly<Record<string, () => Promise<unknown>>> = {
    verified: () => sql`update account set verified_at = now() where account_id = 'verified'`,
    link: () => link('link'),
    webhook: () => sql`
      insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed)
      values ('wh_1', 'webhook', 'https://example.com', 'post', 'f1', '')`,
    run: () => sql`
      insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
      values ('run_1', 'run', 's', 1, 'webhook', 'completed', 0)`,
    usage: () => sql`insert into usage (account_id, month, feed_id) values ('usage', '2020-01-01', 'session.status')`,
    customer: () => sql`update account set stripe_customer_id = 'cus_1' where account_id = 'customer'`,
    subscription: () => sql`
      insert into stripe_subscription values ('sub_1', 'subscription', false, true, now())`,
  };
  for (const [id, hang] of Object.entries(keep)) {
    await account(id);
    await hang();
  }
  await account('recent', LIMIT);
  await account('forgotten');
  assert.equal(await purgeUnverifiedAccounts(sql, NOW_MS, pace), 1);
  assert.deepEqual(await accounts(), [...Object.keys(keep), 'recent'].sort());
});

test('a link that is sent while the account is about to be removed keeps it', async () => {
  await account('late');
  const sending = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  // As the store of sign-ups does: it locks the account, then adds the link.
  const sent = sql.begin(async (transaction) => {
    await transaction`select from account where account_id = 'late' for update`;
    locked.resolve();
    await sending.promise;
    await transaction`insert into email_verification values ('x', 'late', '', null, ${new Date(NOW_MS + DAY_MS)})`;
  });
  await locked.promise;
  assert.equal(await purgeUnverifiedAccounts(sql, NOW_MS, pace), 0, 'it does not wait');
  sending.resolve();
  await sent;
  assert.equal(await purgeUnverifiedAccounts(sql, NOW_MS, pace), 0);
  assert.deepEqual(await accounts(), ['late']);
});
