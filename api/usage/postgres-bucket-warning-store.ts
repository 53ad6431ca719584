// Sent warnings in PostgreSQL. A row is a claim, so only one of several services on the same database sends a warning.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { BucketWarningStore } from './bucket-warning-store.ts';

export function postgresBucketWarningStore(sql: Sql): BucketWarningStore {
  return {
    async claim(accountId, month, level) {
      const [row] = await sql<{ email: string }[]>`
        with claimed as (
          insert into bucket_warning (account_id, month, level)
          select account_id, ${month}::date, ${level} from account
          where account_id = ${accountId} and verified_at is not null
          on conflict (account_id, month, level) do nothing
          returning account_id
        )
        select email from account join claimed using (account_id)`;
      return row?.email ?? null;
    },

    async giveBack(accountId, month, level) {
      await sql`
        delete from bucket_warning where account_id = ${accountId} and month = ${month}::date and level = ${level}`;
    },
  };
}
