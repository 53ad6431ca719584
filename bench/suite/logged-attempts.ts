// The whole delivery log, read from the journal, from pages and from the rows of earlier versions: what benches and tests
// hold against what receivers got.

import type { FailureCode } from '#engine/delivery/attempt-result.ts';
import { JournalRow } from '#engine/delivery/delivery-log/journal-row.ts';
import { attemptsOfPage, type NumberedAttempt, numberedFrom } from '#engine/delivery/delivery-log/log-page.ts';
import { unpacked } from '#engine/delivery/delivery-log/packed-bytes.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

type OldRow = Omit<AttemptRecord, 'result'> & {
  readonly logNo: bigint;
  readonly statusCode: number | null;
  readonly failureCode: FailureCode | null;
  readonly error: string | null;
  readonly responseBody: string | null;
};

const PARTS_AT_ONCE = 100;

/** Calls `visit` with every attempt, or every one of a run, in no order. */
export async function eachLoggedAttempt(
  sql: Sql,
  visit: (attempt: NumberedAttempt) => void,
  runNo: number | null = null,
): Promise<void> {
  const pass = (numbered: readonly NumberedAttempt[]): void => {
    for (const one of numbered) if (runNo === null || one.attempt.runNo === runNo) visit(one);
  };
  await sql.begin('isolation level repeatable read', async (transaction) => {
    const rows = transaction<{ firstLogNo: bigint; data: Uint8Array }[]>`
      select first_log_no as "firstLogNo", data from log_journal`;
    await rows.cursor(PARTS_AT_ONCE, (part) => {
      for (const { firstLogNo, data } of part) {
        const row = new JournalRow(firstLogNo, unpacked(data));
        for (const webhookNo of row.webhookNos) pass(numberedFrom(firstLogNo, row.of(webhookNo)));
      }
    });
    const pages = transaction<{ webhookNo: number; firstLogNo: bigint; data: Uint8Array }[]>`
      select webhook_no as "webhookNo", first_log_no as "firstLogNo", data from log_page
      where ${runNo}::int is null or ${runNo} between first_run_no and last_run_no`;
    await pages.cursor(PARTS_AT_ONCE, (part) => {
      for (const page of part) pass(attemptsOfPage(page, page.data));
    });
    const old = await transaction<OldRow[]>`
      select log_no as "logNo", webhook_no as "webhookNo", run_no as "runNo", mode, feed, sequence, attempt,
        status_code as "statusCode", latency_ms::float8 as "latencyMs", lag_ms::float8 as "lagMs",
        failure_code as "failureCode", error, response_body as "responseBody",
        (extract(epoch from created_at) * 1000)::float8 as "createdAtMs"
      from delivery_attempt`;
    pass(old.map(numberedFromRow));
  });
}

/** All attempts, or those of one run, in the order of their numbers. */
export async function loggedAttempts(sql: Sql, runNo: number | null = null): Promise<NumberedAttempt[]> {
  const all: NumberedAttempt[] = [];
  await eachLoggedAttempt(sql, (attempt) => void all.push(attempt), runNo);
  return all.sort((a, b) => (a.logNo < b.logNo ? -1 : 1));
}

function numberedFromRow({ logNo, statusCode, failureCode, error, responseBody, ...row }: OldRow): NumberedAttempt {
  const result =
    statusCode === null
      ? ({ kind: 'failed', code: failureCode ?? 'other', detail: error ?? '' } as const)
      : ({ kind: 'answered', statusCode, body: responseBody ?? '' } as const);
  return { logNo, attempt: { ...row, result } };
}

/** Whether an attempt is in the log that started after this time, in Unix epoch milliseconds. */
export async function isLoggedSince(sql: Sql, sinceMs: number): Promise<boolean> {
  const since = new Date(sinceMs);
  const pages = await sql`select from log_page where last_at > ${since} limit 1`;
  if (pages.length > 0) return true;
  const rows = await sql<{ data: Uint8Array }[]>`select data from log_journal where written_at > ${since}`;
  return rows.some(({ data }) => {
    const row = new JournalRow(0n, unpacked(data));
    for (const webhookNo of row.webhookNos)
      if (row.of(webhookNo)!.attempts.some(({ createdAtMs }) => createdAtMs > sinceMs)) return true;
    return false;
  });
}

/** The number of attempts in the log, for a statement. */
export function loggedCount(sql: Sql) {
  return sql`(
    (select count(*) from delivery_attempt) + (select coalesce(sum(attempts), 0) from log_page)
    + (select coalesce(sum(attempts), 0) from log_journal)
  )::int`;
}
