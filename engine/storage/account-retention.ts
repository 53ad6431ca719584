// Removes accounts whose address was never confirmed: UNVERIFIED_ACCOUNT_DAYS after the sign-up, once none of their
// links is left (row-retention.ts), and if nothing hangs on them. Nobody could ever use such an account. Its owner can
// sign up again.

import { PURGED_ROWS_MAX, UNVERIFIED_ACCOUNT_DAYS } from '#engine/base/limits.ts';
import type { Sql } from './postgres-client.ts';
import { inBatches, type Pace } from './purge-batches.ts';

const DAY_MS = 86_400_000;

/** Removes what is past its time at `houseMs` (Unix epoch milliseconds). Returns how many accounts it removed. */
export function purgeUnverifiedAccounts(sql: Sql, houseMs: number, pace: Pace): Promise<number> {
  const before = new Date(houseMs - UNVERIFIED_ACCOUNT_DAYS * DAY_MS);
  return inBatches(() => purge(sql, before), pace);
}

async function purge(sql: Sql, before: Date): Promise<number> {
  return sql.begin(async (transaction) => {
    const unused = transaction`
      verified_at is null and created_at < ${before} and stripe_customer_id is null
        and not exists (select from email_verification v where v.account_id = account.account_id)
        and not exists (select from webhook w where w.account_id = account.account_id)
        and not exists (select from run r where r.account_id = account.account_id)
        and not exists (select from usage u where u.account_id = account.account_id)
        and not exists (select from stripe_subscription s where s.account_id = account.account_id)`;
    const rows = await transaction<{ accountId: string }[]>`
      select account_id as "accountId" from account where ${unused}
      order by created_at limit ${PURGED_ROWS_MAX} for update skip locked`;
    const accountIds = rows.map(({ accountId }) => accountId);
    // A separate statement also sees a link that was sent just before the first one locked the account.
    const { count } = await transaction`
      delete from account where account_id = any(${accountIds}::text[]) and ${unused}`;
    return count;
  });
}
