// Pages of the delivery log: attempts of one endpoint on one UTC day, with a head that says what is in it. A filter reads
// heads and opens only the pages that may have what it looks for.
//
// FP1 Folding turns rows of the journal into pages that hold exactly their attempts, each once and under its number.
// FP2 A head is true of every attempt of its page.

import { ByteWriter } from '#engine/base/byte-writer.ts';
import { LOG_PAGE_ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import { MODES, type NumberedAttempts, readAttempts, writeAttempts } from './attempt-columns.ts';
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
const writer = new ByteWriter();

/** Folds rows of the journal, which are given in the order of their numbers, endpoint by endpoint. */
export function* foldedPages(rows: readonly JournalRow[]): Generator<LogPage> {
  const webhookNos = new Set<number>();
  for (const row of rows) for (const webhookNo of row.webhookNos) webhookNos.add(webhookNo);
  for (const webhookNo of [...webhookNos].sort((a, b) => a - b)) {
    const days = new Map<number, NumberedAttempt[]>();
    for (const row of rows)
      for (const numbered of numberedFrom(row.firstLogNo, row.of(webhookNo))) {
        const day = Math.floor(numbered.attempt.createdAtMs / DAY_MS);
        const own = days.get(day);
        if (own === undefined) days.set(day, [numbered]);
        else own.push(numbered);
      }
    for (const [day, own] of days)
      for (let from = 0; from < own.length; from += LOG_PAGE_ATTEMPTS_MAX)
        yield pageOf(webhookNo, day * DAY_MS, own.slice(from, from + LOG_PAGE_ATTEMPTS_MAX));
  }
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

function pageOf(webhookNo: number, dayMs: number, own: readonly NumberedAttempt[]): LogPage {
  const firstLogNo = own[0]!.logNo;
  const attempts = own.map(({ attempt }) => attempt);
  writer.clear();
  writeAttempts(writer, { attempts, offsets: own.map(({ logNo }) => Number(logNo - firstLogNo)) });
  const head = {
    webhookNo,
    dayMs,
    firstLogNo,
    lastLogNo: own.at(-1)!.logNo,
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
  for (const { createdAtMs, result, feed, mode, runNo, sequence } of attempts) {
    if (!isDelivered(result)) head.failed++;
    head.firstAtMs = Math.min(head.firstAtMs, createdAtMs);
    head.lastAtMs = Math.max(head.lastAtMs, createdAtMs);
    head.feeds |= 1n << BigInt(feed);
    head.modes |= 1 << MODES.indexOf(mode);
    head.firstRunNo = Math.min(head.firstRunNo, runNo ?? 0);
    head.lastRunNo = Math.max(head.lastRunNo, runNo ?? 0);
    head.firstSequence = Math.min(head.firstSequence, sequence);
    head.lastSequence = Math.max(head.lastSequence, sequence);
  }
  return { head, data: packed(writer.view()) };
}
