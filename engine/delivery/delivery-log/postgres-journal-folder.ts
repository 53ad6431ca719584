// Folds the journal of the delivery log into pages (log-page.ts), in PostgreSQL.
//
// FJ1 Rows leave the journal in the transaction that adds their pages. So a crash at any moment loses and doubles no
//     attempt, and a reader with one snapshot sees each of them once.
// FJ2 Two that fold at once do no harm: the one that does not get all of its rows changes nothing.
// FJ3 A fold waits for no disk, so it holds up no group commit that waits for one. If a crash takes it back, the journal
//     still has its rows.
// FJ4 What a fold takes from the journal is bounded.

import {
  LOG_FOLD_AFTER_MS,
  LOG_FOLD_ATTEMPTS,
  LOG_FOLD_BYTES_MAX,
  LOG_FOLD_PAGES_AT_ONCE_MAX,
  LOG_FOLD_ROWS_MAX,
} from '#engine/base/limits.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { JournalRow } from './journal-row.ts';
import { foldedPages, type LogPage } from './log-page.ts';
import { unpacked } from './packed-bytes.ts';

export interface Fold {
  readonly rows: number;
  readonly attempts: number;
  readonly pages: number;
}

/** What the journal holds. */
export interface JournalBacklog {
  readonly rows: number;
  readonly attempts: number;
  /** How long the oldest row has been in it, in milliseconds. */
  readonly ageMs: number;
}

export async function journalBacklog(sql: Sql): Promise<JournalBacklog> {
  const [row] = await sql<JournalBacklog[]>`
    select count(*)::int as rows, coalesce(sum(attempts), 0)::float8 as attempts,
      coalesce(extract(epoch from now() - min(written_at)), 0)::float8 * 1000 as "ageMs"
    from log_journal`;
  return row!;
}

/** Whether it is worth folding: pages with few attempts take more room. */
export function isDue({ attempts, ageMs }: JournalBacklog): boolean {
  return attempts >= LOG_FOLD_ATTEMPTS || ageMs >= LOG_FOLD_AFTER_MS;
}

interface JournalTuple {
  readonly firstLogNo: bigint;
  readonly attempts: number;
  readonly data: Uint8Array;
}

/** Folds the oldest rows (FJ4). Returns what it did; null if another one has folded them meanwhile. */
export async function foldJournal(sql: Sql): Promise<Fold | null> {
  const tuples = await sql<JournalTuple[]>`
    select first_log_no as "firstLogNo", attempts, data from log_journal
    where first_log_no <= (
      select max(first_log_no) from (
        select first_log_no, sum(octet_length(data)) over (order by first_log_no) - octet_length(data) as bytes_before
        from (select first_log_no, data from log_journal order by first_log_no limit ${LOG_FOLD_ROWS_MAX}) oldest
      ) summed where bytes_before < ${LOG_FOLD_BYTES_MAX}
    )
    order by first_log_no`;
  if (tuples.length === 0) return { rows: 0, attempts: 0, pages: 0 };
  const rows = tuples.map(({ firstLogNo, data }) => new JournalRow(firstLogNo, unpacked(data)));
  const attempts = tuples.reduce((sum, row) => sum + row.attempts, 0);
  const folding = sql.begin(async (transaction): Promise<Fold> => {
    await transaction`set local synchronous_commit = off`;
    const taken = await transaction`
      delete from log_journal where first_log_no = any(${`{${rows.map((row) => row.firstLogNo).join(',')}}`}::text::bigint[])
      returning 1`;
    if (taken.length < rows.length) throw new FoldedElsewhere();
    let folded = 0;
    let pages = 0;
    let some: LogPage[] = [];
    for (const page of foldedPages(rows)) {
      folded += page.head.attempts;
      pages++;
      some.push(page);
      if (some.length < LOG_FOLD_PAGES_AT_ONCE_MAX) continue;
      await insertPages(transaction, some);
      some = [];
    }
    if (some.length > 0) await insertPages(transaction, some);
    if (folded !== attempts) throw new Error(`FP1: ${attempts} attempts of the journal became ${folded} in pages`);
    return { rows: rows.length, attempts, pages };
  });
  return folding.catch((error) => {
    if (error instanceof FoldedElsewhere) return null;
    throw error;
  });
}

/** FJ2 */
class FoldedElsewhere extends Error {}

/** The data of all pages is one value: an array of them would be parsed byte by byte, twice. */
export async function insertPages(sql: TransactionSql, pages: readonly LogPage[]): Promise<void> {
  const column = (value: (page: LogPage) => string | number | bigint): string => `{${pages.map(value).join(',')}}`;
  const starts: number[] = [];
  let bytes = 0;
  for (const { data } of pages) {
    starts.push(1 + bytes);
    bytes += data.length;
  }
  await sql`
    insert into log_page (
      webhook_no, day, first_log_no, last_log_no, attempts, failed, first_at, last_at, feeds, modes, first_run_no,
      last_run_no, first_sequence, last_sequence, data
    )
    select webhook_no, day, first_log_no, last_log_no, attempts, failed, to_timestamp(first_ms / 1000),
      to_timestamp(last_ms / 1000), feeds, modes, first_run_no, last_run_no, first_sequence, last_sequence,
      substring(${Buffer.concat(pages.map(({ data }) => data))}::bytea from start for bytes)
    from unnest(
      ${column(({ head }) => head.webhookNo)}::text::int[],
      ${column(({ head }) => new Date(head.dayMs).toISOString().slice(0, 10))}::text::date[],
      ${column(({ head }) => head.firstLogNo)}::text::bigint[],
      ${column(({ head }) => head.lastLogNo)}::text::bigint[],
      ${column(({ head }) => head.attempts)}::text::smallint[],
      ${column(({ head }) => head.failed)}::text::smallint[],
      ${column(({ head }) => head.firstAtMs)}::text::float8[],
      ${column(({ head }) => head.lastAtMs)}::text::float8[],
      ${column(({ head }) => head.feeds)}::text::bigint[],
      ${column(({ head }) => head.modes)}::text::smallint[],
      ${column(({ head }) => head.firstRunNo)}::text::int[],
      ${column(({ head }) => head.lastRunNo)}::text::int[],
      ${column(({ head }) => head.firstSequence)}::text::int[],
      ${column(({ head }) => head.lastSequence)}::text::int[],
      ${`{${starts.join(',')}}`}::text::int[],
      ${column(({ data }) => data.length)}::text::int[]
    ) as row (
      webhook_no, day, first_log_no, last_log_no, attempts, failed, first_ms, last_ms, feeds, modes, first_run_no,
      last_run_no, first_sequence, last_sequence, start, bytes
    )`;
}
