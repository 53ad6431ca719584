// The runs of all accounts in PostgreSQL.

import { RUNS_LISTED_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { OperatedRun, OperatorRunStore } from './operator-run-store.ts';

export function postgresOperatorRunStore(sql: Sql): OperatorRunStore {
  const runs = sql`
    select run_id as "runId", mode, case when state = 'running' and paused_at is not null then 'paused' else state end as state,
      account_id as "accountId", email, session_id as "sessionId", speed, sinks,
      started_at as "startedAt", endpoints, coalesce(position, 0) as position, update_count as "updateCount",
      timeline_origin as "timelineOrigin"
    from run join account using (account_id) cross join lateral (
      select count(*)::int as endpoints, max(next_position) as position
      from run_endpoint where run_endpoint.run_id = run.run_id
    ) as progress`;
  const isAccount = (account: string) => sql`(account_id = ${account} or lower(email) = lower(${account}))`;

  return {
    async inProgress(account, max = RUNS_LISTED_MAX) {
      return sql<OperatedRun[]>`
        ${runs}
        where state in ('running', 'stopping')
          ${account === null ? sql`` : sql`and ${isAccount(account)}`}
        order by run_no limit ${max}`;
    },

    async hasAccount(account) {
      return (await sql`select from account where ${isAccount(account)}`).length > 0;
    },

    async find(runId) {
      const [run] = await sql<OperatedRun[]>`${runs} where run_id = ${runId}`;
      return run ?? null;
    },

    async requestStop(runId) {
      await sql`
        with marked as (
          update run set state = 'stopping'
          where run_id = ${runId} and mode in ('replay', 'resend') and state in ('running', 'stopping')
          returning account_id
        )
        select pg_notify('account_change', 'runs ' || account_id) from marked`;
    },
  };
}
