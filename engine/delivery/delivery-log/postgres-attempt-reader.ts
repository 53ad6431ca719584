// Reads the attempts of an endpoint from the journal and from pages, as one log.
//
// AR1 All reads of one answer need one snapshot: use a transaction with isolation level repeatable read. An attempt that
//     is folded meanwhile is then seen once.
// AR2 A read looks at a bounded number of attempts and of heads. Its answer says where it stopped.
// AR3 Pages may overlap: two writers may have had the endpoint, and a day ends while attempts are under way. So a page
//     counts as read only once no other page can have an attempt between its own.

import {
  LOG_ATTEMPTS_AT_ONCE_MAX,
  LOG_EXAMINED_MAX,
  LOG_HEADS_EXAMINED_MAX,
  LOG_JOURNAL_ROWS_AT_ONCE_MAX,
  LOG_PAGE_NUMBERS_MAX,
  LOG_PAGES_AT_ONCE_MAX,
} from '#engine/base/limits.ts';
import type { TransactionSql } from '#engine/storage/postgres-client.ts';
import { readAttempts as decodeAttempts, MODES, type NumberedAttempts } from './attempt-columns.ts';
import { ANY_ATTEMPT, type AttemptMatch, matches, outcomeOf } from './attempt-match.ts';
import type { JournalRow } from './journal-row.ts';
import { KeptJournalRows } from './kept-journal-rows.ts';
import type { NumberedAttempt } from './log-page.ts';
import { unpacked } from './packed-bytes.ts';

export interface AttemptsWanted {
  readonly webhookNo: number;
  /** Attempts that started from `since` on and before `until`. */
  readonly since: Date;
  readonly until: Date;
  /** Only numbers below this one. */
  readonly below: bigint;
  readonly match: AttemptMatch;
  readonly limit: number;
}

export interface AttemptSlice {
  /** Newest first, at most `limit`. */
  readonly attempts: readonly NumberedAttempt[];
  /** Every attempt from this number on was looked at; null: all were, or all down to the last one found. */
  readonly examinedTo: bigint | null;
}

interface PageTuple {
  readonly firstLogNo: bigint;
  readonly lastLogNo: bigint;
  readonly data: Uint8Array;
}

const NUMBER_MAX = 2n ** 63n - 1n;
/** Behind every attempt, also one of a clock that was ahead. */
const NEVER = new Date(Date.UTC(9999, 0));

/** The newest attempts that match. */
export async function readAttempts(
  sql: TransactionSql,
  kept: KeptJournalRows,
  wanted: AttemptsWanted,
): Promise<AttemptSlice> {
  const journal = await readJournal(sql, kept, wanted);
  return mergedSlices([journal, await readPages(sql, wanted)], wanted.limit);
}

/** The newest of several slices of one log, which were read with this limit. */
export function mergedSlices<Attempt extends { readonly logNo: bigint }>(
  slices: readonly { readonly attempts: readonly Attempt[]; readonly examinedTo: bigint | null }[],
  limit: number,
): { readonly attempts: readonly Attempt[]; readonly examinedTo: bigint | null } {
  let examinedTo: bigint | null = null;
  for (const { examinedTo: own } of slices) if (own !== null && own > (examinedTo ?? -1n)) examinedTo = own;
  const attempts = slices
    .flatMap(({ attempts }) => attempts)
    .filter(({ logNo }) => examinedTo === null || logNo >= examinedTo)
    .sort((a, b) => (a.logNo > b.logNo ? -1 : 1))
    .slice(0, limit);
  return { attempts, examinedTo: attempts.length < limit ? examinedTo : null };
}

/** One attempt that started at or after `since`, by its number. */
export async function findAttempt(
  sql: TransactionSql,
  kept: KeptJournalRows,
  webhookNo: number,
  since: Date,
  logNo: bigint,
): Promise<NumberedAttempt | null> {
  const wanted = { webhookNo, since, until: NEVER, below: logNo + 1n, match: ANY_ATTEMPT, limit: 1 };
  const { attempts } = await readAttempts(sql, kept, wanted);
  return attempts[0]?.logNo === logNo ? attempts[0] : null;
}

/** Calls `visit` with every attempt of these runs that started at or after `since`, in no order. */
export async function everyAttempt(
  sql: TransactionSql,
  {
    webhookNo,
    runNos,
    since,
  }: { readonly webhookNo: number; readonly runNos: readonly number[]; readonly since: Date },
  visit: (attempt: NumberedAttempt) => void,
): Promise<void> {
  const wanted = {
    webhookNo,
    since,
    until: NEVER,
    match: { ...ANY_ATTEMPT, runNos },
    limit: LOG_ATTEMPTS_AT_ONCE_MAX,
  };
  const kept = new KeptJournalRows();
  for (let below: bigint | null = NUMBER_MAX; below !== null; ) {
    const slice: AttemptSlice = await readAttempts(sql, kept, { ...wanted, below });
    for (const attempt of slice.attempts) visit(attempt);
    below = slice.attempts.length === wanted.limit ? slice.attempts.at(-1)!.logNo : slice.examinedTo;
  }
}

async function readJournal(sql: TransactionSql, kept: KeptJournalRows, wanted: AttemptsWanted): Promise<AttemptSlice> {
  const found: NumberedAttempt[] = [];
  let examined = 0;
  let { below } = wanted;
  for (;;) {
    const rows = await journalRows(sql, kept, wanted.webhookNo, below);
    for (const row of rows) {
      const { firstLogNo } = row;
      const own = row.of(wanted.webhookNo);
      if (own === null) continue;
      examined += own.attempts.length;
      take(found, firstLogNo, own, wanted);
      if (found.length >= wanted.limit) return { attempts: found.slice(0, wanted.limit), examinedTo: null };
      if (examined >= LOG_EXAMINED_MAX) return { attempts: found, examinedTo: firstLogNo };
    }
    if (rows.length < LOG_JOURNAL_ROWS_AT_ONCE_MAX) return { attempts: found, examinedTo: null };
    below = rows.at(-1)!.firstLogNo;
  }
}

/** Rows with attempts of the endpoint, the newest first. */
async function journalRows(
  sql: TransactionSql,
  kept: KeptJournalRows,
  webhookNo: number,
  below: bigint,
): Promise<readonly JournalRow[]> {
  const own = kept.all;
  const numbers = `{${[...own.keys()].join()}}`;
  const tuples = await sql<{ firstLogNo: bigint; data: Uint8Array | null }[]>`
    select first_log_no as "firstLogNo", case when first_log_no <> all(${numbers}::text::bigint[]) then data end as data
    from log_journal
    where first_log_no < ${below}::bigint and ${webhookNo} = any(webhook_nos)
    order by first_log_no desc limit ${LOG_JOURNAL_ROWS_AT_ONCE_MAX}`;
  return tuples.map(
    ({ firstLogNo, data }) =>
      kept.row(firstLogNo) ?? (data === null ? own.get(firstLogNo)! : kept.keep(firstLogNo, data)),
  );
}

async function readPages(sql: TransactionSql, wanted: AttemptsWanted): Promise<AttemptSlice> {
  // Only the index has the pages in order, so that reading can stop. Statistics may be out of date (index-lookups.ts). With
  // this, there is one plan for all values, and making it for each takes longer than reading: there are half a year of days.
  await sql`
    set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
    set local plan_cache_mode = force_generic_plan`.simple();
  const headsMax = Object.values(wanted.match).every((part) => part === null) ? null : LOG_HEADS_EXAMINED_MAX;
  const found: NumberedAttempt[] = [];
  let examined = 0;
  // With a cursor, the statement is planned once for all of its days, and reads no further than this does.
  for await (const pages of matchingPages(sql, wanted, headsMax).cursor(LOG_PAGES_AT_ONCE_MAX)) {
    for (const { firstLogNo, data } of pages) {
      const own = decodeAttempts(unpacked(data), wanted.webhookNo);
      examined += own.attempts.length;
      take(found, firstLogNo, own, wanted);
    }
    found.sort((a, b) => (a.logNo > b.logNo ? -1 : 1));
    // AR3: what was not read is below the last page's end.
    const below = pages.at(-1)!.lastLogNo;
    const last = found[wanted.limit - 1];
    if (last !== undefined && last.logNo >= below) return { attempts: found.slice(0, wanted.limit), examinedTo: null };
    if (examined >= LOG_EXAMINED_MAX) return { attempts: found, examinedTo: below };
  }
  const examinedTo = headsMax === null ? null : await lastHead(sql, wanted, headsMax);
  return examinedTo === null ? { attempts: found.slice(0, wanted.limit), examinedTo } : { attempts: found, examinedTo };
}

function take(
  found: NumberedAttempt[],
  firstLogNo: bigint,
  { attempts, offsets }: NumberedAttempts,
  { since, until, below, match }: AttemptsWanted,
): void {
  const sinceMs = since.getTime();
  const untilMs = until.getTime();
  for (let i = attempts.length - 1; i >= 0; i--) {
    const attempt = attempts[i]!;
    if (attempt.createdAtMs < sinceMs || attempt.createdAtMs >= untilMs || !matches(attempt, match)) continue;
    const logNo = firstLogNo + BigInt(offsets[i]!);
    if (logNo < below) found.push({ logNo, attempt });
  }
}

/** The pages whose head allows a match, the newest first; of so many heads, or of all. */
function matchingPages(sql: TransactionSql, wanted: AttemptsWanted, headsMax: number | null) {
  const { since, until, match } = wanted;
  const { feed, runNos, sequence } = match;
  const mode = match.mode === null ? null : MODES.indexOf(match.mode);
  const outcome = outcomeOf(match);
  return sql<PageTuple[]>`
    select first_log_no as "firstLogNo", last_log_no as "lastLogNo", data
    from (${pagesBelow(sql, wanted)} limit ${headsMax}) heads
    where first_at < ${until} and last_at >= ${since}
      and case ${outcome}::text when 'failed' then failed > 0 when 'delivered' then failed < attempts else true end
      and (${feed}::int is null or (feeds >> ${feed}) & 1 = 1)
      and (${mode}::int is null or (modes >> ${mode}) & 1 = 1)
      and (${sequence}::int is null or ${sequence} between first_sequence and last_sequence)
      and (${runNos as number[] | null}::int[] is null
        or exists (select from unnest(${runNos as number[] | null}::int[]) run where run between first_run_no and last_run_no))
    order by last_log_no desc`;
}

/** The end of the last page of so many; null if there are fewer (AR2). */
async function lastHead(sql: TransactionSql, wanted: AttemptsWanted, heads: number): Promise<bigint | null> {
  const [row] = await sql<{ lastLogNo: bigint }[]>`
    select last_log_no as "lastLogNo" from (${pagesBelow(sql, wanted)} offset ${heads - 1} limit 1) last`;
  return row?.lastLogNo ?? null;
}

/** Newest first. By FP3, the index leads to the first of them. */
function pagesBelow(sql: TransactionSql, { webhookNo, since, until, below }: AttemptsWanted) {
  const end = below + BigInt(LOG_PAGE_NUMBERS_MAX);
  return sql`
    select * from log_page
    where webhook_no = ${webhookNo} and first_log_no < ${below}::bigint
      and last_log_no < ${end < NUMBER_MAX ? end : NUMBER_MAX}::bigint
      and day >= ${dayOf(since)}::date and day <= ${dayOf(until)}::date
    order by last_log_no desc`;
}

/** Days of pages lie between these, also in databases that know no later ones. */
function dayOf(time: Date): string {
  const ms = Math.min(Math.max(time.getTime(), Date.UTC(1970, 0)), Date.UTC(9999, 0));
  return new Date(ms).toISOString().slice(0, 10);
}
