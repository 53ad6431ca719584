// Pages of the delivery log: attempts of one endpoint on one UTC day, with a head that says what is in it. A filter reads
// heads and opens only the pages that may have what it looks for.
//
// FP1 Folding turns rows of the journal into pages that hold exactly their attempts, each once and under its number.
// FP2 A head is true of every attempt of its page.
// FP3 The numbers of a page are less than LOG_PAGE_NUMBERS_MAX apart. So a reader that starts in the middle of a log knows
//     which pages may hold what is below it.

import { ByteWriter } from '#engine/base/byte-writer.ts';
import { LOG_PAGE_ATTEMPTS_MAX, LOG_PAGE_NUMBERS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import { AttemptsWriter, MODES, type NumberedAttempts, readAttempts } from './attempt-columns.ts';
import { AttemptList } from './attempt-list.ts';
import type { JournalRow } from './journal-row.ts';
import { packed, unpacked } from './packed-bytes.ts';
import type { AttemptRecord } from './record-store.ts';

export interface PageHead {
  readonly webhookNo: number;
  /** Unix epoch milliseconds at which its day begins. */
  readonly dayMs: number;
  readonly firstLogNo: bigint;
  readonly lastLogNo: bigint;
  readonly attempts: number;
  /** How many of them delivered nothing. */
  readonly failed: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** A bit for each feed's number. */
  readonly feeds: bigint;
  /** A bit for each of MODES. */
  readonly modes: number;
  /** The lowest and the highest run; tests count as 0. */
  readonly firstRunNo: number;
  readonly lastRunNo: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
}

export interface LogPage {
  readonly head: PageHead;
  readonly data: Uint8Array;
}

/** An attempt with its number in the delivery log. */
export interface NumberedAttempt {
  readonly logNo: bigint;
  readonly attempt: AttemptRecord;
}

const DAY_MS = 86_400_000;
const bytes = new ByteWriter();
const writer = new AttemptsWriter(bytes);
/** Of a page. Its memory is used again for the next one. */
const list = new AttemptList();

/** Folds rows of the journal, which are given in the order of their numbers, endpoint by endpoint. */
export function* foldedPages(rows: readonly JournalRow[]): Generator<LogPage> {
  const webhookNos = new Set<number>();
  for (const row of rows) for (const webhookNo of row.webhookNos) webhookNos.add(webhookNo);
  const base = rows[0]?.firstLogNo ?? 0n;
  for (const webhookNo of [...webhookNos].sort((a, b) => a - b)) {
    const days = new Map<number, { attempts: AttemptRecord[]; offsets: number[] }>();
    for (const row of rows) {
      const part = row.of(webhookNo);
      if (part === null) continue;
      const rowOffset = Number(row.firstLogNo - base);
      for (let i = 0; i < part.attempts.length; i++) {
        const attempt = part.attempts[i]!;
        const day = Math.floor(attempt.createdAtMs / DAY_MS);
        let own = days.get(day);
        if (own === undefined) {
          own = { attempts: [], offsets: [] };
          days.set(day, own);
        }
        own.attempts.push(attempt);
        own.offsets.push(rowOffset + part.offsets[i]!);
      }
    }
    for (const [day, { attempts, offsets }] of days)
      for (let from = 0; from < attempts.length; ) {
        const to = endOfPage(offsets, from);
        const own = { attempts: attempts.slice(from, to), offsets: offsets.slice(from, to) };
        yield pageOf(webhookNo, day * DAY_MS, base, own);
        from = to;
      }
  }
}

/** Where the page that begins at `from` ends (FP3). */
function endOfPage(offsets: readonly number[], from: number): number {
  let to = Math.min(from + LOG_PAGE_ATTEMPTS_MAX, offsets.length);
  while (offsets[to - 1]! - offsets[from]! >= LOG_PAGE_NUMBERS_MAX) to--;
  return to;
}

/** The attempts of a page in the order of their numbers. */
export function attemptsOfPage({ webhookNo, firstLogNo }: PageKey, data: Uint8Array): NumberedAttempt[] {
  return numberedFrom(firstLogNo, readAttempts(unpacked(data), webhookNo));
}

export type PageKey = Pick<PageHead, 'webhookNo' | 'firstLogNo'>;

/** The attempts with their numbers, in order. */
export function numberedFrom(firstLogNo: bigint, part: NumberedAttempts | null): NumberedAttempt[] {
  if (part === null) return [];
  return part.attempts.map((attempt, i) => ({ logNo: firstLogNo + BigInt(part.offsets[i]!), attempt }));
}

/** A page of attempts of one endpoint and day, in the order of their numbers, which count from `base`. */
export function pageOf(
  webhookNo: number,
  dayMs: number,
  base: bigint,
  { attempts, offsets }: NumberedAttempts,
): LogPage {
  const first = offsets[0]!;
  bytes.clear();
  list.clear();
  for (const attempt of attempts) list.push(attempt);
  writer.write(
    list,
    offsets.map((_, place) => place),
    offsets.map((offset) => offset - first),
  );
  const head = {
    webhookNo,
    dayMs,
    firstLogNo: base + BigInt(first),
    lastLogNo: base + BigInt(offsets.at(-1)!),
    attempts: attempts.length,
    failed: 0,
    firstAtMs: Number.POSITIVE_INFINITY,
    lastAtMs: Number.NEGATIVE_INFINITY,
    feeds: 0n,
    modes: 0,
    firstRunNo: Number.POSITIVE_INFINITY,
    lastRunNo: 0,
    firstSequence: Number.POSITIVE_INFINITY,
    lastSequence: Number.NEGATIVE_INFINITY,
  };
  const feeds = new Set<number>();
  for (const { createdAtMs, result, feed, mode, runNo, sequence } of attempts) {
    if (!isDelivered(result)) head.failed++;
    head.firstAtMs = Math.min(head.firstAtMs, createdAtMs);
    head.lastAtMs = Math.max(head.lastAtMs, createdAtMs);
    feeds.add(feed);
    head.modes |= 1 << MODES.indexOf(mode);
    head.firstRunNo = Math.min(head.firstRunNo, runNo ?? 0);
    head.lastRunNo = Math.max(head.lastRunNo, runNo ?? 0);
    head.firstSequence = Math.min(head.firstSequence, sequence);
    head.lastSequence = Math.max(head.lastSequence, sequence);
  }
  for (const feed of feeds) head.feeds |= 1n << BigInt(feed);
  return { head, data: packed(bytes.view()) };
}
