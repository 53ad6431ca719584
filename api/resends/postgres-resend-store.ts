// Resends in PostgreSQL.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { RunOutcomes, SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import { parsePending } from '#engine/delivery/delivery-log/pending-text.ts';
import { formatPositions, parsePositions } from '#engine/delivery/delivery-log/position-text.ts';
import { everyAttempt } from '#engine/delivery/delivery-log/postgres-attempt-reader.ts';
import { Selection } from '#engine/delivery/run/selection.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ResendRecord, ResendStore, SourceRun } from './resend-store.ts';

interface OutcomeRow {
  readonly runNo: number;
  readonly pending: string;
  readonly positions: string | null;
  readonly skipped: readonly SkippedSpan[];
}

interface AttemptedRow {
  readonly runNo: number;
  readonly delivered: number[] | null;
  readonly failed: number[] | null;
}

/** Attempts are stored by the day on which they started. A clock that was corrected must not hide them. */
const CLOCK_SLACK_MS = 86_400_000;

export function postgresResendStore(sql: Sql): ResendStore {
  return {
    async sources(accountId, webhookId, sessionId) {
      return withIndexLookups(
        sql,
        (transaction) => transaction<SourceRun[]>`
          select r.run_id as "runId", run_no as "runNo",
            case when mode = 'resend' and source_run_id is not null then 'replay'
              when mode = 'resend' then 'live' else mode end as mode,
            mode = 'resend' as "isResend",
            case mode when 'replay' then r.run_id else source_run_id end as "replayId",
            session_id as "sessionId", speed, ended_at is not null as ended, started_at as "startedAt",
            update_count as "updateCount", timeline_origin as "timelineOrigin", deriver_version as "deriverVersion"
          from run r left join resend s on s.run_id = r.run_id
          where account_id = ${accountId} and (${sessionId}::text is null or session_id = ${sessionId})
            and exists (select from run_endpoint e where e.run_id = r.run_id and e.webhook_id = ${webhookId})
          order by run_no desc`,
      );
    },

    async outcomes(webhookId, webhookNo, runs) {
      const runIds = runs.map(({ runId }) => runId);
      const runNos = runs.map(({ runNo }) => runNo);
      const since = new Date(Math.min(...runs.map(({ startedAt }) => startedAt.getTime())) - CLOCK_SLACK_MS);
      // One snapshot: an update is pending, delivered, failed or skipped. Pending may be late, and what a run that has
      // ended left pending is not under way.
      return sql.begin('isolation level repeatable read', async (transaction) => {
        await transaction`set local enable_seqscan = off`;
        const rows = await transaction<OutcomeRow[]>`
          select run_no as "runNo", case when ended_at is null then pending else '' end as pending, positions, coalesce((
            select jsonb_agg(jsonb_build_object('first', first_position, 'last', last_position, 'reason', reason))
            from skipped_span p where p.run_id = e.run_id and p.webhook_id = e.webhook_id
          ), '[]') as skipped
          from run_endpoint e join run using (run_id) left join resend s on s.run_id = e.run_id
          where e.run_id = any(${runIds}::text[]) and e.webhook_id = ${webhookId}`;
        // Entries from before the journal.
        const attempted = await transaction<AttemptedRow[]>`
          select run_no as "runNo",
            array_agg(distinct sequence - 1) filter (where status_code between 200 and 299) as delivered,
            array_agg(distinct sequence - 1)
              filter (where attempt = ${ATTEMPTS_MAX} and (status_code is null or status_code not between 200 and 299))
              as failed
          from delivery_attempt
          where webhook_no = ${webhookNo} and run_no = any(${runNos}::int[]) and created_at >= ${since}
          group by run_no`;
        const byRun = new Map(
          runNos.map((runNo) => [runNo, { delivered: new Set<number>(), failed: new Set<number>() }]),
        );
        for (const { runNo, delivered, failed } of attempted) {
          const own = byRun.get(runNo)!;
          for (const position of delivered ?? []) own.delivered.add(position);
          for (const position of failed ?? []) own.failed.add(position);
        }
        await everyAttempt(
          transaction,
          { webhookNo, runNos, since },
          ({ attempt: { runNo, sequence, attempt, result } }) => {
            const own = byRun.get(runNo!)!;
            if (isDelivered(result)) own.delivered.add(sequence - 1);
            else if (attempt === ATTEMPTS_MAX) own.failed.add(sequence - 1);
          },
        );
        return rows.map(
          ({ runNo, pending, positions, skipped }): RunOutcomes => ({
            delivered: [...byRun.get(runNo)!.delivered],
            failed: [...byRun.get(runNo)!.failed],
            skipped,
            pending: parsePending(pending).map(({ position }) => position),
            selection: positions === null ? null : parsePositions(positions),
          }),
        );
      });
    },

    async noteRecovered(runId, webhookId, recovered) {
      // A span has every update that matched when it was skipped, and others that match today: no more than were counted.
      // Attempts that are no longer kept were counted while they were.
      await sql`
        update run_endpoint
        set recovered = least(greatest(recovered, ${recovered}), failed + coalesce((skipped->>'expired')::int, 0))
        where run_id = ${runId} and webhook_id = ${webhookId}`;
    },

    async insert(resend) {
      const { runId, accountId, webhookId, sessionId, replayId, speed, timelineOrigin, positions, startedAt } = resend;
      const { end } = new Selection(positions);
      return sql.begin(async (transaction) => {
        // Resends of one account start one after the other.
        await transaction`select from account where account_id = ${accountId} for update`;
        const [running] = await transaction`
          select from run join resend using (run_id)
          where account_id = ${accountId} and mode = 'resend' and state in ('running', 'stopping')
            and webhook_id = ${webhookId}`;
        if (running !== undefined) return 'running';
        const [row] = await transaction<{ runNo: number }[]>`
          insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count, timeline_origin, started_at)
          values (${runId}, ${accountId}, ${sessionId}, 'resend', ${speed}, 'webhook', 'running', ${end}, ${timelineOrigin},
            ${startedAt})
          returning run_no as "runNo"`;
        await transaction`
          insert into resend (run_id, webhook_id, source_run_id, positions, updates)
          values (${runId}, ${webhookId}, ${replayId}, ${formatPositions(positions)}, ${positions.length})`;
        await transaction`insert into run_endpoint (run_id, webhook_id) values (${runId}, ${webhookId})`;
        return row!.runNo;
      });
    },

    async unfinished() {
      const rows = await sql<(Omit<ResendRecord, 'positions'> & { positions: string })[]>`
        select run_id as "runId", run_no as "runNo", account_id as "accountId", webhook_id as "webhookId",
          session_id as "sessionId", source_run_id as "replayId", speed, timeline_origin as "timelineOrigin", positions,
          started_at as "startedAt", state
        from run join resend using (run_id)
        where mode = 'resend' and state in ('running', 'stopping') order by run_no`;
      return rows.map((row) => ({ ...row, positions: parsePositions(row.positions) }));
    },

    async stopping(accountId) {
      const rows = await sql<{ runId: string }[]>`
        select run_id as "runId" from run
        where mode = 'resend' and state = 'stopping' and (${accountId}::text is null or account_id = ${accountId})`;
      return rows.map(({ runId }) => runId);
    },
  };
}
