// Replay runs in PostgreSQL. The recorder stores each endpoint's progress together with the attempts that it counts.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { RunRecord, RunStore } from './run-store.ts';

interface Start {
  readonly free: boolean;
  /** Null when the account has a run in progress. */
  readonly runNo: number | null;
  readonly webhookIds: readonly string[];
}

export function postgresRunStore(sql: Sql): RunStore {
  const columns = sql`
    r.run_id as "runId", r.run_no as "runNo", r.account_id as "accountId", r.session_id as "sessionId", r.speed, r.sinks,
    r.state, r.update_count as "updateCount", r.timeline_origin as "timelineOrigin", r.visual_position as "visualPosition", r.started_at as "startedAt",
    r.ended_at as "endedAt", r.mode as kind,
    (select jsonb_build_object('webhookId', webhook_id, 'runId', source_run_id, 'updates', updates)
      from resend where resend.run_id = r.run_id) as resend,
    coalesce(e.position, 0) as "deliveryPosition", coalesce(e.endpoints, '[]') as endpoints`;
  const progress = sql`
    left join lateral (
      select max(next_position) as position, jsonb_agg(jsonb_build_object(
        'webhookId', webhook_id, 'matched', matched, 'delivered', delivered, 'failed', failed, 'skipped', skipped,
        'breaker', breaker, 'lagMs', lag_ms
      ) order by webhook_id) as endpoints
      from run_endpoint where run_endpoint.run_id = r.run_id
    ) e on true`;

  return {
    async insert({ runId, accountId, sessionId, speed, sinks, updateCount, timelineOrigin, startedAt }, slots) {
      return sql.begin(async (transaction) => {
        // Starts of one account run one after the other, and each sees the slots taken by earlier runs.
        await transaction`select from account where account_id = ${accountId} for update`;
        const [row] = await transaction<Start[]>`
          with slot as (
            select ${slots}::int is null
              or exists (select from simulate_slot where account_id = ${accountId} and session_id = ${sessionId})
              or (select count(*) from simulate_slot where account_id = ${accountId}) < ${slots}::int as free
          ), started as (
            insert into run
              (run_id, account_id, session_id, speed, sinks, state, update_count, timeline_origin, started_at)
            select ${runId}, ${accountId}, ${sessionId}, ${speed}, ${sinks}, 'running', ${updateCount}, ${timelineOrigin},
              ${startedAt}
            from slot where free
            on conflict (account_id) where mode = 'replay' and state in ('running', 'stopping') do nothing
            returning run_id, run_no, account_id, sinks
          ), taking_part as (
            insert into run_endpoint (run_id, webhook_id)
            select run_id, webhook_id from started join webhook using (account_id)
            where deleted_at is null and sinks <> 'visual'
            returning webhook_id
          )
          select free, run_no as "runNo", array(select webhook_id from taking_part) as "webhookIds"
          from slot left join started on true`;
        const { free, runNo, webhookIds } = row!;
        if (!free) return 'no_slot';
        return runNo === null ? 'running' : { runNo, webhookIds };
      });
    },

    async list(accountId, limit, offset) {
      return sql<RunRecord[]>`
        select ${columns} from run r ${progress}
        where r.account_id = ${accountId} and r.mode in ('replay', 'resend')
        order by r.run_no desc limit ${limit} offset ${offset}`;
    },

    async count(accountId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from run where account_id = ${accountId} and mode in ('replay', 'resend')`;
      return row!.count;
    },

    async find(accountId, runId) {
      const [row] = await sql<RunRecord[]>`
        select ${columns} from run r ${progress} 
        where r.run_id = ${runId} and r.account_id = ${accountId} and r.mode in ('replay', 'resend')`;
      return row ?? null;
    },

    async unfinished() {
      return sql<RunRecord[]>`
        select ${columns} from run r ${progress} 
        where r.mode = 'replay' and r.state in ('running', 'stopping') order by r.run_no`;
    },

    async stopping(accountId) {
      const rows = await sql<{ runId: string }[]>`
        select run_id as "runId" from run
        where mode = 'replay' and state = 'stopping' and (${accountId}::text is null or account_id = ${accountId})`;
      return rows.map(({ runId }) => runId);
    },

    async markStopping(runId) {
      await sql`update run set state = 'stopping' where run_id = ${runId} and state = 'running'`;
    },

    async end(runId, state, visualPosition, now) {
      await sql`
        update run set state = ${state}, visual_position = ${visualPosition}, ended_at = ${now}
        where run_id = ${runId} and state in ('running', 'stopping')`;
    },
  };
}
