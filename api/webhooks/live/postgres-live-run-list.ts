// The live runs of an account in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ListedLiveRun, LiveRunList } from './live-run-list.ts';

export function postgresLiveRunList(sql: Sql): LiveRunList {
  const wanted = (accountId: string, sessionId: string | null) => sql`
    account_id = ${accountId} and mode = 'live' and session_id = coalesce(${sessionId}::text, session_id)`;

  return {
    async list(accountId, sessionId, limit, offset, endpointsMax) {
      return sql<ListedLiveRun[]>`
        select run_id as "runId", session_id as "sessionId", state, started_at as "startedAt", ended_at as "endedAt",
          matched, delivered, failed, skipped, lag_ms as "lagMs", (
            select coalesce(jsonb_agg(jsonb_build_object(
              'webhookId', webhook_id, 'matched', matched, 'delivered', delivered, 'failed', failed, 'skipped', skipped,
              'lagMs', lag_ms
            ) order by webhook_id), '[]')
            from (select * from run_endpoint e where e.run_id = r.run_id order by webhook_id limit ${endpointsMax}) shown
          ) as endpoints
        from (
          select * from run where ${wanted(accountId, sessionId)} order by run_no desc limit ${limit} offset ${offset}
        ) r, lateral (
          select coalesce(sum(matched), 0)::float8 as matched, coalesce(sum(delivered), 0)::float8 as delivered,
            coalesce(sum(failed), 0)::float8 as failed, coalesce(max(lag_ms), 0) as lag_ms,
            coalesce(sum((select sum(value::bigint) from jsonb_each_text(e.skipped))), 0)::float8 as skipped
          from run_endpoint e where e.run_id = r.run_id
        ) sums
        order by run_no desc`;
    },

    async count(accountId, sessionId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from run where ${wanted(accountId, sessionId)}`;
      return row!.count;
    },
  };
}
