// Replay runs in PostgreSQL. The recorder stores each endpoint's progress together with the attempts that it counts.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ListedRun, RunFilter, RunRecord, RunStore } from './run-store.ts';

interface Start {
  readonly free: boolean;
  readonly running: boolean;
  /** Null when the run has not started. */
  readonly runNo: number | null;
  readonly webhookIds: readonly string[];
}

export function postgresRunStore(sql: Sql): RunStore {
  const columns = sql`
    r.run_id as "runId", r.run_no as "runNo", r.account_id as "accountId", r.session_id as "sessionId", r.speed, r.sinks,
    r.state, r.update_count as "updateCount", r.timeline_origin as "timelineOrigin", r.visual_position as "visualPosition",
    r.visual_left as "visualLeft", r.paused_at as "pausedAt", r.seek_position as "seekPosition", r.ordered,
    r.started_at as "startedAt",
    r.ended_at as "endedAt", r.mode as kind, (
      select jsonb_build_object('webhookId', webhook_id, 'runId', source_run_id, 'updates', updates)
      from resend where resend.run_id = r.run_id
    ) as resend,
    coalesce(e.position, 0) as "deliveryPosition", coalesce(e.endpoints, '[]') as endpoints`;
  const endpoints = sql`jsonb_agg(jsonb_build_object(
    'webhookId', webhook_id, 'matched', matched, 'delivered', delivered, 'failed', failed, 'skipped', skipped,
    'breaker', breaker, 'lagMs', lag_ms
  ) order by webhook_id)`;
  const progress = sql`
    left join lateral (
      select max(next_position) as position, ${endpoints} as endpoints
      from run_endpoint where run_endpoint.run_id = r.run_id
    ) e on true`;

  const matching = ({ state, session, sinks }: RunFilter) => sql`
    ${state === undefined ? sql`` : sql`and r.state = ${state === 'paused' ? 'running' : state}`}
    ${state === 'paused' ? sql`and r.paused_at is not null` : sql``}
    ${state === 'running' ? sql`and r.paused_at is null` : sql``}
    ${session === undefined ? sql`` : sql`and r.session_id = ${session}`}
    ${sinks === undefined ? sql`` : sql`and r.sinks = ${sinks}`}`;

  /** Whether the account may replay the session with this many slots; null: without any limit. */
  const slotIsFree = (accountId: string, sessionId: string, slots: number | null) => sql`(
    ${slots}::int is null
    or exists (select from simulate_slot where account_id = ${accountId} and session_id = ${sessionId})
    or (select count(*) from simulate_slot where account_id = ${accountId}) < ${slots}::int
  )`;

  const isRunning = (accountId: string) => sql`exists (
    select from run where account_id = ${accountId} and mode = 'replay' and state in ('running', 'stopping')
  )`;

  return {
    async insert(run, slots) {
      const { runId, accountId, sessionId, speed, sinks, updateCount, timelineOrigin, startedAt, position } = run;
      const chosen = run.webhookIds as string[] | null;
      return sql.begin(async (transaction) => {
        // Starts of one account run one after the other, and each sees the slots taken by earlier runs.
        await transaction`select from account where account_id = ${accountId} for update`;
        const [row] = await transaction<Start[]>`
          with slot as (
            select ${slotIsFree(accountId, sessionId, slots)} as free, ${isRunning(accountId)} as running
          ), started as (
            insert into run
              (run_id, account_id, session_id, speed, sinks, state, update_count, timeline_origin, started_at, ordered)
            select ${runId}, ${accountId}, ${sessionId}, ${speed}, ${sinks}, 'running', ${updateCount}, ${timelineOrigin},
              ${startedAt}, ${run.ordered ?? false}
            from slot where free and ${run.reachesAny}
            on conflict (account_id) where mode = 'replay' and state in ('running', 'stopping') do nothing
            returning run_id, run_no, account_id, sinks
          ), taking_part as (
            insert into run_endpoint (webhook_id, run_id, next_position)
            select webhook_id, run_id, ${position}::int from started join webhook using (account_id)
            where deleted_at is null and sinks <> 'visual'
              and (${chosen}::text[] is null or webhook_id = any(${chosen}::text[]))
            returning webhook_id
          )
          select free, running, run_no as "runNo", array(select webhook_id from taking_part) as "webhookIds"
          from slot left join started on true`;
        const { free, running, runNo, webhookIds } = row!;
        if (!free) return 'no_slot';
        if (running) return 'running';
        return runNo === null ? 'no_endpoint' : { runNo, webhookIds };
      });
    },

    async list(accountId, limit, offset, { max, active }, filter = {}) {
      return sql<ListedRun[]>`
        select ${columns}, count as "endpointCount", active as "activeCount"
        from run r left join lateral (
          select max(next_position) as position, count(*)::int as count,
            (count(*) filter (where webhook_id = any(${[...active]}::text[])))::int as active,
            (
              select ${endpoints}
              from (select * from run_endpoint where run_id = r.run_id order by webhook_id limit ${max}) shown
            ) as endpoints
          from run_endpoint where run_endpoint.run_id = r.run_id
        ) e on true
        where r.account_id = ${accountId} and r.mode in ('replay', 'resend') ${matching(filter)}
        order by r.run_no desc limit ${limit} offset ${offset}`;
    },

    async count(accountId, filter = {}) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from run r
        where r.account_id = ${accountId} and r.mode in ('replay', 'resend') ${matching(filter)}`;
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

    async end(runId, state, visualPosition, left, now) {
      await sql`
        update run set state = ${state}, visual_position = ${visualPosition}, visual_left = ${left}, ended_at = ${now},
          paused_at = null, seek_position = null
        where run_id = ${runId} and state in ('running', 'stopping')`;
    },

    async pause(runId, at) {
      await sql`update run set paused_at = ${at} where run_id = ${runId} and state = 'running'`;
    },

    async acceptSeek(runId, position) {
      const rows = await sql`
        update run set seek_position = ${position}
        where run_id = ${runId} and state = 'running' and coalesce(seek_position, 0) <= ${position}
        returning run_id`;
      return rows.length === 1;
    },

    async seek(runId, position) {
      // A further one may have been accepted meanwhile.
      await sql`
        with moved as (
          update run_endpoint set next_position = ${position} where run_id = ${runId} and next_position < ${position}
        )
        update run set seek_position = null where run_id = ${runId} and seek_position <= ${position}`;
    },

    async lastWatched(accountId, sessionId, sinks) {
      const [row] = await sql<RunRecord[]>`
        select ${columns} from run r ${progress}
        where r.account_id = ${accountId} and r.mode = 'replay' and r.session_id = ${sessionId} and r.sinks = ${sinks}
        order by r.run_no desc limit 1`;
      return row ?? null;
    },

    async reopen(runId, slots, speed) {
      return sql.begin(async (transaction) => {
        const [run] = await transaction<{ accountId: string; sessionId: string }[]>`
          select account_id as "accountId", session_id as "sessionId" from run where run_id = ${runId}`;
        if (run === undefined) return null;
        const { accountId, sessionId } = run;
        await transaction`select from account where account_id = ${accountId} for update`;
        const [row] = await transaction<{ free: boolean; running: boolean; reopened: boolean }[]>`
          with slot as (
            select ${slotIsFree(accountId, sessionId, slots)} as free, ${isRunning(accountId)} as running
          ), reopened as (
            update run set state = 'running', ended_at = null, visual_left = false, speed = ${speed}
            from slot where run_id = ${runId} and state = 'stopped' and visual_left and free and not running
            returning run_id
          )
          select free, running, exists (select from reopened) as reopened from slot`;
        const { free, running, reopened } = row!;
        if (reopened) return 'reopened';
        if (running) return 'running';
        return free ? null : 'no_slot';
      });
    },

    async changeSpeed(runId, speed) {
      await sql`update run set speed = ${speed} where run_id = ${runId} and ended_at is null`;
    },
  };
}
