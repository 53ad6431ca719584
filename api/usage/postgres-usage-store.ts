// Reads usage from PostgreSQL. The recorder writes it in the same statement as the attempts that it counts (I10).

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { FeedDay, MonthAttempts, UsageStore, UsageTotals } from './usage-store.ts';

export function postgresUsageStore(sql: Sql): UsageStore {
  return {
    async totals(accountId, month) {
      const [row] = await sql<UsageTotals[]>`
        select plan, spend_cap_cents as "spendCapCents", coalesce(sum(attempts), 0)::float8 as attempts,
          coalesce(sum(demo_attempts), 0)::float8 as "demoAttempts",
          coalesce(sum(streamed), 0)::float8 as streamed, coalesce(sum(demo_streamed), 0)::float8 as "demoStreamed",
          coalesce(sum(succeeded), 0)::float8 as succeeded, coalesce(sum(failed), 0)::float8 as failed,
          coalesce(sum(skipped), 0)::float8 as skipped
        from account left join usage on usage.account_id = account.account_id and month = ${month}::date
        where account.account_id = ${accountId}
        group by account.account_id`;
      return row ?? null;
    },

    async attemptsByMonth(accountId) {
      return sql<MonthAttempts[]>`
        select month::text as month, sum(attempts + streamed)::float8 as attempts,
          sum(demo_attempts + demo_streamed)::float8 as "demoAttempts"
        from usage where account_id = ${accountId} group by month order by month`;
    },

    async attemptsByFeed(accountId, month) {
      return sql<FeedDay[]>`
        select feed_id as "feedId", day, attempts::float8 as attempts, streamed::float8 as streamed
        from usage where account_id = ${accountId} and month = ${month}::date and attempts + streamed > 0
        order by feed_id, day`;
    },

    async latencyByFeed(accountId, month) {
      return sql<{ feedId: string; counts: number[] }[]>`
        select feed_id as "feedId", counts
        from usage_latency where account_id = ${accountId} and month = ${month}::date
        order by feed_id`;
    },
  };
}
