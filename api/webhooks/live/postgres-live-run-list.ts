// The live runs of an account in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ListedLiveRun, LiveRunList } from './live-run-list.ts';

export function postgresLiveRunList(sql: Sql): LiveRunList {
  const wanted = (accountId: string, sessionId: string | null) => sql`
    account_id = ${accountId} and mode = 'live' and session_id = coalesce(${sessionId}::text, session_id)`;

  return {
    async list(accountId, sessionId, limit, offset) {
      return sql<ListedLiveRun[]>`
        select run_id as "runId", session_id as "sessionId", state, started_at as "startedAt", ended_at as "endedAt",
          (
            select coalesce(jsonb_agg(jsonb_build_object(
              'webhookId', webhook_id, 'matched', matched, 'delivered', delivered, 'failed', failed, 'skipped', skipped,
              'lagMs', lag_ms
            ) order by webhook_id), '[]')
            from run_endpoint e where e.run_id = r.run_id
          ) as endpoints
        from (
          select * from run where ${wanted(accountId, sessionId)} order by run_no desc limit ${limit} offset ${offset}
        ) r
        order by run_no desc`;
    },

    async count(accountId, sessionId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from run where ${wanted(accountId, sessionId)}`;
      return row!.count;
    },
  };
}
