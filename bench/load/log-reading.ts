// Pages of an endpoint with millions of attempts in ninety days, read as the API reads them: at random places, and with
// filters.

import { postgresDeliveryLogStore } from '#api/webhooks/postgres-delivery-log-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { LOG_BLOCK_NUMBERS_MAX, LOG_PAGE_ATTEMPTS_MAX, LOG_RETENTION_DAYS } from '#engine/base/limits.ts';
import type { Random } from '#engine/base/random.ts';
import { ANY_ATTEMPT, type AttemptMatch } from '#engine/delivery/delivery-log/attempt-match.ts';
import { type LogPage, pageOf } from '#engine/delivery/delivery-log/log-page.ts';
import { insertPages } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import type { Database } from '#engine/storage/database.ts';
import { ensurePartitions, LOG_PAGES } from '#engine/storage/partitions.ts';
import { AttemptLoad, createRun } from './log-writing.ts';

const FEED = 7;

/** What a read looks for. Null: every attempt. */
export const READS = {
  'no filter': null,
  'failed, one in a hundred': { outcome: 'failed' },
  'a feed, one in six': { feed: FEED },
  'a run': 'run',
  'a delivery': 'delivery',
} as const satisfies Record<string, Partial<AttemptMatch> | 'run' | 'delivery' | null>;
export type Read = keyof typeof READS;
export const READ_NAMES = Object.keys(READS) as Read[];

export interface Reading {
  /** Milliseconds, rising. */
  readonly readMs: Readonly<Record<Read, number[]>>;
  /** The newest page and pages at random places, beside a journal that has not been folded. */
  readonly newestBesideJournalMs: number[];
  readonly besideJournalMs: number[];
  /** Pages that were not what was written. */
  readonly wrong: number;
}

interface Wanted {
  readonly match: Partial<AttemptMatch> | null;
  /** Only the attempts before this one, counted from 1. */
  readonly below?: number;
  /** The first day, and the day after the last, counted from the first. */
  readonly days?: readonly [number, number];
  /** How many there are. */
  readonly found: number;
}

export const ENTRIES = 500;
const WARM_UP = 20;
const WEBHOOK_NO = 25;
const DAY_MS = 86_400_000;
/** The numbers between two attempts, when a commit has a hundred of the endpoint. */
const STRIDE = Math.floor(LOG_BLOCK_NUMBERS_MAX / 100);
const PAGES_AT_ONCE = 200;
export const JOURNAL = { rows: 40, attempts: 5_000, endpoints: 50 } as const;

export async function readLog(
  database: Database,
  { attempts, reads, pageAttempts = LOG_PAGE_ATTEMPTS_MAX }: { attempts: number; reads: number; pageAttempts?: number },
  random: Random,
): Promise<Reading> {
  const sql = database.connect(1);
  await sql`truncate delivery_attempt, log_journal, log_page`;
  const { runId, runNo } = await createRun(sql);
  const load = new AttemptLoad(runId, runNo, { endpoints: 1, differ: true }, random);
  const today = Math.floor(systemClock.wallMs() / DAY_MS) * DAY_MS;
  // The days of deleted endpoints are kept, too.
  await ensurePartitions(sql, LOG_PAGES, today - 2 * LOG_RETENTION_DAYS * DAY_MS, 2 * LOG_RETENTION_DAYS);
  const perDay = Math.ceil(attempts / LOG_RETENTION_DAYS);
  const firstMs = today - LOG_RETENTION_DAYS * DAY_MS;
  let made = 0;
  /** How many of the first so many attempts match a filter. */
  const counts = { failed: [0], feed: [0] };
  for (let day = 0; day < LOG_RETENTION_DAYS; day++) {
    const pages: LogPage[] = [];
    let own: { attempts: AttemptRecord[]; offsets: number[] } = { attempts: [], offsets: [] };
    for (let i = 0; i < perDay; i++) {
      const { attempt, isDelivered } = load.next();
      const createdAtMs = firstMs + day * DAY_MS + Math.floor((i / perDay) * DAY_MS);
      own.attempts.push({ ...attempt, webhookNo: WEBHOOK_NO, runNo: runNo + day, sequence: i + 1, createdAtMs });
      own.offsets.push(STRIDE * ++made);
      counts.failed.push(counts.failed.at(-1)! + (isDelivered ? 0 : 1));
      counts.feed.push(counts.feed.at(-1)! + (attempt.feed === FEED ? 1 : 0));
      if (own.attempts.length < pageAttempts && i < perDay - 1) continue;
      pages.push(pageOf(WEBHOOK_NO, firstMs + day * DAY_MS, 0n, own));
      own = { attempts: [], offsets: [] };
    }
    for (let from = 0; from < pages.length; from += PAGES_AT_ONCE)
      await sql.begin((transaction) => insertPages(transaction, pages.slice(from, from + PAGES_AT_ONCE)));
  }
  await sql.unsafe('vacuum analyze log_page');
  await sql.unsafe('checkpoint');

  const store = postgresDeliveryLogStore(sql);
  let wrong = 0;
  const timed = async (count: number, next: () => Wanted): Promise<number[]> => {
    const ms: number[] = [];
    for (let i = 0; i < count; i++) {
      const { match, below, days, found } = next();
      const since = new Date(firstMs + (days?.[0] ?? 0) * DAY_MS);
      const until = days === undefined ? new Date(Date.UTC(9999, 0)) : new Date(firstMs + days[1] * DAY_MS);
      const filter = match === null ? null : { ...ANY_ATTEMPT, ...match };
      const before = below === undefined ? null : BigInt(STRIDE * below);
      const startedMs = performance.now();
      const page = await store.page(WEBHOOK_NO, { since, until }, filter, before, ENTRIES);
      ms.push(performance.now() - startedMs);
      if (page.attempts.length !== Math.min(ENTRIES, found) && page.examinedTo === null) wrong++;
    }
    return ms.sort((a, b) => a - b);
  };
  const somewhere = (): number => Math.ceil(made * random.next());
  const wanted = (name: Read): Wanted => {
    const read = READS[name];
    if (read === 'run' || read === 'delivery') {
      const day = Math.floor(LOG_RETENTION_DAYS * random.next());
      const runNos = [runNo + day];
      // As the API: the days of the run, and one on either side.
      const days = [Math.max(0, day - 1), day + 2] as const;
      if (read === 'run') return { match: { runNos }, days, found: perDay };
      return { match: { runNos, sequence: 1 + Math.floor(perDay * random.next()) }, days, found: 1 };
    }
    const below = somewhere();
    const all = read === null ? below - 1 : counts['feed' in read ? 'feed' : 'failed'][below - 1]!;
    return { match: read, below, found: all };
  };
  const readMs = {} as Record<Read, number[]>;
  for (const name of READ_NAMES) {
    // Prepares and compiles.
    await timed(WARM_UP, () => wanted(name));
    readMs[name] = await timed(reads, () => wanted(name));
  }

  await sql`select setval(pg_get_serial_sequence('log_journal', 'first_log_no'), ${STRIDE * (made + 1)}::bigint)`;
  const records = new PostgresRecordStore(sql);
  const writer = { name: runId, epoch: 1 };
  await records.admit(writer);
  const beside = new AttemptLoad(runId, runNo, { endpoints: JOURNAL.endpoints, differ: true }, random);
  for (let batchNo = 1; batchNo <= JOURNAL.rows; batchNo++) {
    const batch = Array.from({ length: JOURNAL.attempts }, () => beside.next().attempt);
    await records.commit({ writer, batchNo, attempts: batch, usage: [], latency: [], checkpoints: [] });
  }
  const newest = (): Wanted => ({ match: null, found: ENTRIES });
  await timed(WARM_UP, newest);
  return {
    readMs,
    newestBesideJournalMs: await timed(reads, newest),
    besideJournalMs: await timed(reads, () => wanted('no filter')),
    wrong,
  };
}
