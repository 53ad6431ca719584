// Group commit: attempts, usage and checkpoints of a shard, written down together in batches.
//
// R1 A batch is cut at one moment: it holds every attempt since the last cut and the checkpoint, as of that moment, of
// every actor that did anything since. So what the log says and where actors go on from never disagree (I1, I10).
// R2 Batches are written one at a time, in order; one whose answer was lost is sent again under the same number.
// R3 What waits is bounded (I2): when the buffer is full, `hasRoom` is false and actors start nothing until it drains.
// R4 A usage sum belongs to the month in which its attempts started, also when they end after the month did.
// R5 Nothing is written, and nothing read of what was written, before the writer's earlier incarnations are ended, of which a last
//    commit may still be under way.

import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import {
  RECORD_BATCH_ATTEMPTS,
  RECORD_BATCH_MS,
  RECORD_BUFFER_ATTEMPTS_MAX,
  RECORD_RETRY_MS,
  RECORD_RETRY_MS_MAX,
} from '#engine/base/limits.ts';
import type { RecordMeter } from '#engine/delivery/meter/record-meter.ts';
import { isIn, type Month, monthOf } from '#engine/delivery/usage/month.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import type { AttemptRecord, Checkpoint, RecordBatch, RecordStore, Writer } from './record-store.ts';

/** An actor as the recorder sees it. */
export interface Checkpointed {
  /** Where it stands at this moment. */
  checkpoint(): Checkpoint;
  /** Its `checkpoint` threw. */
  failed(error: Error): void;
}

export interface RecorderParts {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly meter: RecordMeter;
  readonly writer: Writer;
  /** There is work for `advance`, or room again. */
  readonly wake: () => void;
  /** A commit failed and will be tried again. */
  readonly reportProblem: (error: Error, waitMs: number) => void;
}

/** idle -> committing -> idle, or waiting -> committing again. */
type Writing =
  | { readonly kind: 'idle' }
  | { readonly kind: 'committing' }
  | { readonly kind: 'waiting'; readonly untilMs: number };

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #ledgers = new Map<string, UsageLedger>();
  readonly #cut: { readonly batch: RecordBatch; readonly sinceMs: number }[] = [];
  readonly #waiters: { readonly batchNo: number; readonly written: () => void }[] = [];
  #attempts: AttemptRecord[] = [];
  #usage: UsageDelta[] = [];
  #latency: LatencyDelta[] = [];
  #noted = new Set<Checkpointed>();
  #oldestMs = Number.POSITIVE_INFINITY;
  #held = 0;
  #batchNo = 0;
  #failures = 0;
  #writing: Writing = { kind: 'idle' };
  #month: Month;
  #takingOver: Promise<void> | null = null;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#month = monthOf(parts.clock.wallMs());
  }

  /** Resolves once this incarnation writes and those before it no longer do; rejects when that is not known (R5). */
  takeOver(): Promise<void> {
    const { store, writer } = this.#parts;
    this.#takingOver ??= store.admit(writer).catch((error: Error) => {
      this.#takingOver = null;
      throw error;
    });
    return this.#takingOver;
  }

  /** Whether further attempts may start (R3). */
  get hasRoom(): boolean {
    return this.#held < RECORD_BUFFER_ATTEMPTS_MAX;
  }

  /** Attempts that are not written down. */
  get held(): number {
    return this.#held;
  }

  /** Since when the oldest of what is not written down has waited; Infinity when everything is. */
  get heldSinceMs(): number {
    return this.#cut[0]?.sinceMs ?? this.#oldestMs;
  }

  /** The account's ledger, shared by its actors; each closes it once. */
  openLedger(accountId: string): UsageLedger {
    let ledger = this.#ledgers.get(accountId);
    if (ledger === undefined) {
      ledger = new UsageLedger(accountId);
      this.#ledgers.set(accountId, ledger);
    }
    ledger.holders++;
    return ledger;
  }

  /** What it still holds goes with the next batch. */
  closeLedger(ledger: UsageLedger): void {
    ledger.holders--;
    this.#forgetIfIdle(ledger);
  }

  /** Accounts whose counts are held. */
  get ledgers(): number {
    return this.#ledgers.size;
  }

  /**
   * An attempt has ended; its actor, whose checkpoint already says so, is noted with it (null: a test has none).
   * `deliveredAfterMs` is how long the update took from when it was due, null when this attempt did not deliver it.
   */
  attempt(
    actor: Checkpointed | null,
    ledger: UsageLedger,
    record: AttemptRecord,
    deliveredAfterMs: number | null,
  ): void {
    if (actor === null) this.#begin();
    else this.note(actor);
    if (record.createdAtMs >= this.#month.endsMs) this.#turnMonth(record.createdAtMs);
    this.#attempts.push(record);
    this.#held++;
    if (isIn(this.#month, record.createdAtMs)) ledger.attempt(record.feed, deliveredAfterMs);
    else this.#countLate(ledger, record, deliveredAfterMs);
    if (this.#attempts.length === RECORD_BATCH_ATTEMPTS) this.#parts.wake();
  }

  /** An update was not delivered on purpose; its actor, whose standing already says so, is noted with it. */
  skipped(actor: Checkpointed | null, ledger: UsageLedger, feed: number): void {
    if (actor === null) this.#begin();
    else this.note(actor);
    ledger.skipped(feed);
  }

  /** The actor's standing changed: its checkpoint goes with the next batch. */
  note(actor: Checkpointed): void {
    this.#begin();
    this.#noted.add(actor);
  }

  /** Forgets an actor that was replaced. */
  forget(actor: Checkpointed): void {
    this.#noted.delete(actor);
  }

  /** Calls back once everything so far is durable. Never called within a turn (R1). */
  whenWritten(written: () => void): void {
    this.#cutBatch();
    if (this.#cut.length === 0 && this.#writing.kind === 'idle') {
      written();
      return;
    }
    this.#waiters.push({ batchNo: this.#batchNo, written });
    this.#parts.wake();
  }

  /** Cuts a batch when one is due and starts writing when there is anything to write. Never called within a turn (R1). */
  advance(nowMs: number): void {
    if (this.#attempts.length >= RECORD_BATCH_ATTEMPTS) this.#cutBatch();
    const writing = this.#writing;
    if (writing.kind === 'committing') return;
    if (writing.kind === 'waiting' && nowMs < writing.untilMs) return;
    if (this.#cut.length === 0 && nowMs >= this.#oldestMs + RECORD_BATCH_MS) this.#cutBatch();
    const next = this.#cut[0];
    if (next !== undefined) this.#write(next.batch);
  }

  /** When `advance` is due next, on the monotonic clock. */
  nextDueMs(): number {
    if (this.#writing.kind === 'committing') return Number.POSITIVE_INFINITY;
    if (this.#writing.kind === 'waiting') return this.#writing.untilMs;
    return this.#cut.length > 0 ? 0 : this.#oldestMs + RECORD_BATCH_MS;
  }

  /** Something waits to be written from now on. */
  #begin(): void {
    if (this.#oldestMs !== Number.POSITIVE_INFINITY) return;
    this.#oldestMs = this.#parts.clock.nowMs();
    const wallMs = this.#parts.clock.wallMs();
    if (wallMs >= this.#month.endsMs) this.#turnMonth(wallMs);
  }

  #cutBatch(): void {
    this.#takeUsage();
    const usage = this.#usage;
    const latency = this.#latency;
    const sinceMs = this.#oldestMs;
    // Also when there is nothing to write: an actor that was noted may have been replaced since.
    this.#oldestMs = Number.POSITIVE_INFINITY;
    const checkpoints = this.#takeCheckpoints();
    if (this.#attempts.length === 0 && usage.length === 0 && checkpoints.length === 0) return;
    this.#batchNo++;
    const batch = {
      writer: this.#parts.writer,
      batchNo: this.#batchNo,
      attempts: this.#attempts,
      usage,
      latency,
      checkpoints,
    };
    this.#cut.push({ batch, sinceMs });
    this.#attempts = [];
    this.#usage = [];
    this.#latency = [];
  }

  /** One actor whose numbers are wrong must keep none of the others from being written down (I9). */
  #takeCheckpoints(): Checkpoint[] {
    const noted = this.#noted;
    this.#noted = new Set();
    const checkpoints: Checkpoint[] = [];
    for (const actor of noted) {
      try {
        checkpoints.push(actor.checkpoint());
      } catch (error) {
        actor.failed(error as Error);
      }
    }
    return checkpoints;
  }

  /** Only as `Writing` says. */
  #enter(next: Writing): void {
    const from = this.#writing.kind;
    const legal = next.kind === 'committing' ? from !== 'committing' : from === 'committing';
    assert(legal, `R2: a recorder that is ${from} does not become ${next.kind}`);
    this.#writing = next;
  }

  #write(batch: RecordBatch): void {
    const sinceMs = this.#parts.clock.nowMs();
    this.#enter({ kind: 'committing' });
    this.takeOver()
      .then(() => this.#parts.store.commit(batch))
      .then(
        () => this.#written(batch, sinceMs),
        (error: Error) => this.#failed(error),
      );
  }

  #written(batch: RecordBatch, sinceMs: number): void {
    this.#cut.shift();
    this.#parts.meter.committed(batch.attempts.length, this.#parts.clock.nowMs() - sinceMs);
    this.#held -= batch.attempts.length;
    assert(this.#held >= 0, 'R3: what is written down was held before');
    this.#failures = 0;
    this.#enter({ kind: 'idle' });
    while (this.#waiters.length > 0 && this.#waiters[0]!.batchNo <= batch.batchNo) this.#waiters.shift()!.written();
    this.#parts.wake();
  }

  #failed(error: Error): void {
    const waitMs = Math.min(RECORD_RETRY_MS * 2 ** this.#failures, RECORD_RETRY_MS_MAX);
    this.#failures++;
    this.#parts.meter.commitFailed();
    this.#enter({ kind: 'waiting', untilMs: this.#parts.clock.nowMs() + waitMs });
    this.#parts.reportProblem(error, waitMs);
    this.#parts.wake();
  }

  #takeUsage(): void {
    for (const ledger of this.#ledgers.values()) {
      if (ledger.dirty) ledger.take(this.#month, this.#usage, this.#latency);
      this.#forgetIfIdle(ledger);
    }
  }

  #forgetIfIdle(ledger: UsageLedger): void {
    if (ledger.holders === 0 && !ledger.dirty) this.#ledgers.delete(ledger.accountId);
  }

  /** The attempt started in a month that is over: it is counted there, by itself. */
  #countLate({ accountId }: UsageLedger, record: AttemptRecord, deliveredAfterMs: number | null): void {
    const single = new UsageLedger(accountId);
    single.attempt(record.feed, deliveredAfterMs);
    single.take(monthOf(record.createdAtMs), this.#usage, this.#latency);
  }

  #turnMonth(wallMs: number): void {
    this.#takeUsage();
    this.#month = monthOf(wallMs);
  }
}
