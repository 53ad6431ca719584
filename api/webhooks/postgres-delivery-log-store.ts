// The delivery log in PostgreSQL, for reading. It has an index by endpoint and number, in each day, and one of failed
// attempts only. An index for every filter would cost each delivery more than all filters are worth.
//
// LQ1 Without a filter, as many rows are read as are shown.
// LQ2 With one, at most LOG_EXAMINED_MAX rows are read. The answer then says where it stopped, and a cursor leads on.
// LQ3 What is read ends where it ends at one moment: attempts that arrive between two statements would move the end.

import { LOG_EXAMINED_MAX } from '#engine/base/limits.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type {
  DeliveryLogStore,
  IdScope,
  LogFilter,
  LoggedAttempt,
  LoggedRun,
  LogOwner,
  LogRuns,
  LogSlice,
  LogSpan,
} from './delivery-log-store.ts';

type Row = Omit<LoggedAttempt, 'run'> & { readonly [Field in keyof LoggedRun]: LoggedRun[Field] | null };

const DAY_MS = 86_400_000;
const NUMBER_MAX = 2n ** 63n - 1n;

export function postgresDeliveryLogStore(sql: Sql): DeliveryLogStore {
  const columns = sql`
    log_no as "logNo", a.mode, feed, sequence, attempt, status_code as "statusCode", latency_ms::float8 as "latencyMs",
    lag_ms::float8 as "lagMs", failure_code as "failureCode", error, response_body as "responseBody",
    created_at as "createdAt", run.run_id as "runId", session_id as "sessionId", speed,
    timeline_origin as "timelineOrigin",
    case when resend.run_id is not null then jsonb_build_object('replayId', source_run_id) end as resend`;

  return {
    async owner(accountId, webhookId) {
      const [row] = await sql<LogOwner[]>`
        select webhook_no as "webhookNo", deleted_at as "deletedAt" from webhook
        where webhook_id = ${webhookId} and account_id = ${accountId}`;
      return row ?? null;
    },

    async idScopes(accountId, webhookId) {
      return withIndexLookups(
        sql,
        (transaction) => transaction<IdScope[]>`
          select r.run_id as "runId", case when is_live then 'live' else 'replay' end as mode,
            case when is_live then session_id else coalesce(source_run_id, r.run_id) end as scope
          from run r left join resend s on s.run_id = r.run_id
            cross join lateral (select mode = 'live' or (mode = 'resend' and source_run_id is null) as is_live) kind
          where account_id = ${accountId}
            and exists (select from run_endpoint e where e.run_id = r.run_id and e.webhook_id = ${webhookId})`,
      );
    },

    async runs(accountId, { runIds, sessionId }, now) {
      const [row] = await sql<{ [Field in keyof LogRuns]: LogRuns[Field] | null }[]>`
        select array_agg(run_no) as "runNos", min(started_at) as since, max(coalesce(ended_at, ${now})) as until
        from run
        where account_id = ${accountId}
          and (${runIds as string[] | null}::text[] is null or run_id = any(${runIds as string[] | null}::text[]))
          and session_id = coalesce(${sessionId}, session_id)`;
      const { runNos, since, until } = row!;
      return runNos === null ? null : { runNos, since: since!, until: until! };
    },

    async page(webhookNo, span, filter, before, limit) {
      if (filter !== null) return filteredPage(sql, webhookNo, span, filter, before ?? NUMBER_MAX, limit);
      // LQ1. Earlier days are left out when the statement is planned, so those that are kept for deleted endpoints cost the
      // others nothing. Planning for the 90 days of the default is most of the two milliseconds that it takes.
      const rows = await sql<Row[]>`
        select ${columns}
        from (
          select * from delivery_attempt
          where webhook_no = ${webhookNo} and created_at >= ${span.since} and created_at < ${span.until}
            and log_no < ${before ?? NUMBER_MAX}::bigint
          order by log_no desc limit ${limit}
        ) a left join run using (run_no) left join resend on resend.run_id = run.run_id
        order by log_no desc`;
      return { attempts: rows.map(attemptOf), examinedTo: null };
    },

    async find(webhookNo, since, logNo) {
      const [row] = await sql<Row[]>`
        select ${columns}
        from (
          select * from delivery_attempt
          where webhook_no = ${webhookNo} and created_at >= ${since} and log_no = ${logNo}::bigint
        ) a left join run using (run_no) left join resend on resend.run_id = run.run_id`;
      return row === undefined ? null : attemptOf(row);
    },
  };

  function filteredPage(
    pool: Sql,
    webhookNo: number,
    { since, until }: LogSpan,
    { outcome, statusCode, feed, mode, runNos, sequence }: LogFilter,
    before: bigint,
    limit: number,
  ): Promise<LogSlice> {
    const failedOnly = outcome === 'failed' || (statusCode !== null && !isDelivered(statusCode));
    // Whole days decide what is read, so that LQ2 holds for any time of day: their partitions have no index by time.
    const firstDay = new Date(Math.floor(since.getTime() / DAY_MS) * DAY_MS);
    const dayAfter = new Date(Math.ceil(until.getTime() / DAY_MS) * DAY_MS);
    return pool.begin(async (transaction: TransactionSql) => {
      // Only the indexes have the rows in order, so that reading can stop. Statistics may be out of date
      // (index-lookups.ts).
      await transaction`
        set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
        set local plan_cache_mode = force_custom_plan`.simple();
      const examined = transaction`
        select * from delivery_attempt
        where webhook_no = ${webhookNo} and created_at >= ${firstDay} and created_at < ${dayAfter} and log_no < ${before}::bigint
          ${failedOnly ? transaction`and coalesce(status_code, 0) not between 200 and 299` : transaction``}
        order by log_no desc limit ${LOG_EXAMINED_MAX}`;
      const rows = await transaction<(Row & { readonly examinedTo: bigint | null })[]>`
        with matching as materialized (
          select * from (${examined}) examined
          where created_at >= ${since} and created_at < ${until}
            and (${outcome}::text is null or (coalesce(status_code, 0) between 200 and 299) = (${outcome} = 'delivered'))
            and (${statusCode}::int is null or status_code = ${statusCode})
            and (${feed}::int is null or feed = ${feed})
            and (${sequence}::int is null or sequence = ${sequence})
            and (${mode}::text is null or mode = ${mode})
            and (${runNos as number[] | null}::int[] is null or run_no = any(${runNos as number[] | null}::int[]))
          order by log_no desc limit ${limit}
        ), stopped (examined_to) as (
          select case when (select count(*) from matching) < ${limit} then (
            select log_no from (${examined}) examined order by log_no desc offset ${LOG_EXAMINED_MAX - 1} limit 1
          ) end
        )
        select ${columns}, examined_to as "examinedTo"
        from stopped left join matching a on true left join run using (run_no) left join resend on resend.run_id = run.run_id
        order by log_no desc`;
      return {
        attempts: rows.filter(({ logNo }) => logNo !== null).map(attemptOf),
        examinedTo: rows[0]!.examinedTo,
      };
    });
  }
}

function isDelivered(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function attemptOf({ runId, sessionId, speed, timelineOrigin, resend, ...attempt }: Row): LoggedAttempt {
  const run = runId === null ? null : { runId, sessionId: sessionId!, speed: speed!, timelineOrigin, resend };
  return { ...attempt, run };
}
