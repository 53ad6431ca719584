// Usage in PostgreSQL: kept by the recorder in the same statement as the attempts it counts (I10).

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { UsageStore, UsageTotals } from './usage-store.ts';

export function postgresUsageStore(sql: Sql): UsageStore {
  return {
    async totals(accountId, month) {
      const [row] = await sql<UsageTotals[]>`
        select coalesce(sum(attempts), 0)::float8 as attempts, coalesce(sum(succeeded), 0)::float8 as succeeded,
          coalesce(sum(failed), 0)::float8 as failed, coalesce(sum(skipped), 0)::float8 as skipped
        from usage where account_id = ${accountId} and month = ${month}::date`;
      return row!;
    },

    async attemptsByFeed(accountId, month) {
      return sql<{ feedId: string; attempts: number }[]>`
        select feed_id as "feedId", attempts::float8 as attempts
        from usage where account_id = ${accountId} and month = ${month}::date and attempts > 0
        order by feed_id`;
    },
  };
}
