// The delivery log in PostgreSQL, for reading: journal and pages (postgres-attempt-reader.ts), and the rows that versions
// before them have left (postgres-old-log.ts), newest first and as one.
//
// LQ1 Without a filter, about as many attempts are read as are shown.
// LQ2 With one, a bounded number of attempts and pages is looked at. The answer then says where it stopped, and a cursor
//     leads on.
// LQ3 An answer is read in one snapshot. Attempts that arrive or are folded meanwhile would be missed or come twice.

import { ANY_ATTEMPT } from '#engine/delivery/delivery-log/attempt-match.ts';
import { KeptJournalRows } from '#engine/delivery/delivery-log/kept-journal-rows.ts';
import type { NumberedAttempt } from '#engine/delivery/delivery-log/log-page.ts';
import { findAttempt, mergedSlices, readAttempts } from '#engine/delivery/delivery-log/postgres-attempt-reader.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type {
  DeliveryLogStore,
  FoundAttempt,
  IdScope,
  LoggedAttempt,
  LoggedRun,
  LogOwner,
  LogRuns,
} from './delivery-log-store.ts';
import { findOldAttempt, readOldAttempts } from './postgres-old-log.ts';

const NUMBER_MAX = 2n ** 63n - 1n;

export function postgresDeliveryLogStore(sql: Sql): DeliveryLogStore {
  const kept = new KeptJournalRows();
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
      const below = before ?? NUMBER_MAX;
      return inOneSnapshot(sql, async (transaction) => {
        const wanted = { webhookNo, ...span, below, match: filter ?? ANY_ATTEMPT, limit };
        const { attempts, examinedTo } = await readAttempts(transaction, kept, wanted);
        const slices = [
          { attempts: attempts.map(foundAttempt), examinedTo },
          await readOldAttempts(transaction, webhookNo, span, filter, below, limit),
        ];
        const merged = mergedSlices(slices, limit);
        return { attempts: await withRuns(transaction, merged.attempts), examinedTo: merged.examinedTo };
      });
    },

    async find(webhookNo, since, logNo) {
      return inOneSnapshot(sql, async (transaction) => {
        const numbered = await findAttempt(transaction, kept, webhookNo, since, logNo);
        const found =
          numbered === null ? await findOldAttempt(transaction, webhookNo, since, logNo) : foundAttempt(numbered);
        return found === null ? null : (await withRuns(transaction, [found]))[0]!;
      });
    },
  };
}

/** LQ3 */
function inOneSnapshot<Result>(sql: Sql, read: (transaction: TransactionSql) => Promise<Result>): Promise<Result> {
  return sql.begin('isolation level repeatable read read only', read) as Promise<Result>;
}

function foundAttempt({ logNo, attempt }: NumberedAttempt): FoundAttempt {
  const { runNo, mode, feed, sequence, latencyMs, lagMs, result, createdAtMs } = attempt;
  const answered = result.kind === 'answered';
  return {
    logNo,
    runNo,
    mode,
    feed,
    sequence,
    attempt: attempt.attempt,
    statusCode: answered ? result.statusCode : null,
    latencyMs,
    lagMs,
    failureCode: answered ? null : result.code,
    error: answered ? null : result.detail,
    responseBody: answered ? result.body : null,
    createdAt: new Date(createdAtMs),
  };
}

/** A run that was removed is null. */
async function withRuns(sql: TransactionSql, attempts: readonly FoundAttempt[]): Promise<LoggedAttempt[]> {
  const runNos = [...new Set(attempts.map(({ runNo }) => runNo))].filter((runNo) => runNo !== null);
  const rows =
    runNos.length === 0
      ? []
      : await sql<(LoggedRun & { readonly runNo: number })[]>`
          select run_no as "runNo", run.run_id as "runId", session_id as "sessionId", speed,
            timeline_origin as "timelineOrigin",
            case when resend.run_id is not null then jsonb_build_object('replayId', source_run_id) end as resend
          from run left join resend on resend.run_id = run.run_id
          where run_no = any(${runNos}::int[])`;
  const runs = new Map(rows.map(({ runNo, ...run }) => [runNo, run]));
  return attempts.map(({ runNo, ...attempt }) => ({ ...attempt, run: runs.get(runNo ?? 0) ?? null }));
}
