// Group commit: the attempts, usage and checkpoints of a shard, recorded together in batches.
//
// R1 A batch is cut at one moment. It holds every attempt since the last cut, and the checkpoint at that moment of
//    every actor that changed since. So the delivery log and the checkpoints never disagree (I1, I10).
// R2 Batches are committed one at a time, in order. One whose confirmation was lost is sent again under the same
//    number.
// R3 The buffer is bounded (I2): when it is full, `hasRoom` is false and actors start nothing until it drains.
// R4 An attempt counts as usage of the day in which it started, whatever day the clock shows when it ends. The ledgers
//    count the day that the clock shows now, whether it has moved forward or back; attempts of other days are few, and
//    counted one by one.
// R5 The recorder commits nothing, and the shard reads no checkpoint, before the writer's earlier epochs are fenced
//    off: a last commit of theirs may still be under way.
// R6 A recorder that ends commits what it holds for a bounded time. Then it hands everything that is unconfirmed to
//    `keep`, the oldest batch first, and commits nothing more.
// R7 The health of endpoints joins batches in rounds of RECORD_ROUND_MS, a part at a time, and all of it the last one: written
//    with every batch, it would cost one row for each endpoint each time.
// R8 A batch with many checkpoints stores them in one row, late, unless somebody waits for rows. Late ones become rows in
//    rounds, a part with each batch, so no batch writes thousands of rows at once, and rows are never older than two rounds.
//    A part has each checkpoint as it stands by then. A batch with few checkpoints, and few late ones, writes all as rows.
// R9 A recorder whose writer has been superseded is over: it commits and keeps nothing more, has no room, and says so once.
//    Its successor repeats what it had not recorded.

import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import {
  RECORD_BATCH_ATTEMPTS,
  RECORD_BATCH_MS,
  RECORD_BUFFER_ATTEMPTS_MAX,
  RECORD_LAST_COMMIT_MS,
  RECORD_PART_ROWS_MIN,
  RECORD_RETRY_MS,
  RECORD_RETRY_MS_MAX,
  RECORD_ROUND_MS,
} from '#engine/base/limits.ts';
import type { RecordMeter } from '#engine/delivery/meter/record-meter.ts';
import { type Day, dayOf } from '#engine/delivery/usage/day.ts';
import { isIn } from '#engine/delivery/usage/month.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { AttemptList } from './attempt-list.ts';
import { type HealthDelta, HealthLedger } from './endpoint-health.ts';
import { LateRounds } from './late-rounds.ts';
import {
  type AttemptRecord,
  type Checkpoint,
  type RecordBatch,
  type RecordStore,
  type Writer,
  WriterSuperseded,
} from './record-store.ts';
import { RowRound } from './row-round.ts';

/** An actor as the recorder sees it. */
export interface Checkpointed {
  /** Returns its checkpoint as of now. */
  checkpoint(): Checkpoint;
  /** Its `checkpoint` threw. */
  failed(error: Error): void;
}

export interface RecorderParts {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly meter: RecordMeter;
  readonly writer: Writer;
  /** Call `advance`: there is work for it, or room again. */
  readonly wake: () => void;
  /** Reports a failed commit that is tried again in `waitMs`; Infinity: never (R9). */
  readonly reportProblem: (error: Error, waitMs: number) => void;
  /** Keeps batches outside the database until the next start. Returns how many of them, from the first on. */
  readonly keep: (batches: readonly RecordBatch[]) => number;
  /** Checkpoints that every batch may write as rows (R8). Default: RECORD_PART_ROWS_MIN. */
  readonly checkpointsAtOnceMax?: number | undefined;
}

/** idle -> committing -> idle; or, after a failure, committing -> waiting -> committing. Any of them -> over. */
type Writing =
  | { readonly kind: 'idle' }
  | { readonly kind: 'committing' }
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'over' };

/** The end of a recorder: when it stops to wait for the database, and whom it tells how many batches are lost (R6). */
interface Ending {
  readonly untilMs: number;
  readonly ended: (lost: number) => void;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #ledgers = new Map<string, UsageLedger>();
  readonly #cut: { readonly batch: RecordBatch; readonly sinceMs: number }[] = [];
  readonly #waiters: { readonly batchNo: number; readonly written: () => void }[] = [];
  #attempts = new AttemptList();
  #usage: UsageDelta[] = [];
  #latency: LatencyDelta[] = [];
  readonly #health = new HealthLedger();
  /** When health, or the next part of it, is due to join a batch, on the monotonic clock; Infinity while there is none. */
  #healthDueMs = Number.POSITIVE_INFINITY;
  #healthRound: RowRound | null = null;
  #noted = new Set<Checkpointed>();
  readonly #late: LateRounds;
  #oldestMs = Number.POSITIVE_INFINITY;
  #held = 0;
  #batchNo = 0;
  #failures = 0;
  #writing: Writing = { kind: 'idle' };
  #day: Day;
  #takingOver: Promise<void> | null = null;
  #ending: Ending | null = null;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#late = new LateRounds(parts.checkpointsAtOnceMax ?? RECORD_PART_ROWS_MIN);
    this.#day = dayOf(parts.clock.wallMs());
  }

  /** Resolves once this epoch may commit and no earlier one may. Rejects if that is not known (R5). */
  takeOver(): Promise<void> {
    const { store, writer } = this.#parts;
    this.#takingOver ??= store.admit(writer).catch((error: Error) => {
      this.#takingOver = null;
      throw error;
    });
    return this.#takingOver;
  }

  /** Whether more attempts may start (R3). */
  get hasRoom(): boolean {
    return this.#held < RECORD_BUFFER_ATTEMPTS_MAX && this.#writing.kind !== 'over';
  }

  /** Attempts that are not recorded yet. */
  get held(): number {
    return this.#held;
  }

  /** Since when the oldest unrecorded change has waited, on the monotonic clock; Infinity when nothing waits. */
  get heldSinceMs(): number {
    return this.#cut[0]?.sinceMs ?? this.#oldestMs;
  }

  /** Returns the account's ledger. Its actors share it; each must close it once. */
  openLedger(accountId: string): UsageLedger {
    let ledger = this.#ledgers.get(accountId);
    if (ledger === undefined) {
      ledger = new UsageLedger(accountId);
      this.#ledgers.set(accountId, ledger);
    }
    ledger.holders++;
    return ledger;
  }

  /** Counts that the ledger still holds go into the next batch. */
  closeLedger(ledger: UsageLedger): void {
    ledger.holders--;
    this.#dropIfIdle(ledger);
  }

  /** How many accounts have a ledger here. */
  get ledgers(): number {
    return this.#ledgers.size;
  }

  /**
   * Records an attempt that has ended, and notes its actor. The actor's checkpoint must already include it. A test has
   * no actor: null. `deliveredAfterMs` counts from when the update was due; null if this attempt did not deliver it.
   * `isDemo`: it was of the demo session.
   */
  attempt(
    actor: Checkpointed | null,
    ledger: UsageLedger,
    record: AttemptRecord,
    deliveredAfterMs: number | null,
    isDemo = false,
  ): void {
    if (actor === null) this.#startBatch();
    else this.note(actor);
    if (!isIn(this.#day, record.createdAtMs)) this.#followClock();
    this.#attempts.push(record);
    this.#held++;
    if (this.#health.size === 0) this.#healthDueMs = this.#parts.clock.nowMs() + RECORD_ROUND_MS;
    this.#health.attempt(record.webhookNo, record.result, record.latencyMs, record.createdAtMs);
    if (isIn(this.#day, record.createdAtMs)) ledger.attempt(record.feed, deliveredAfterMs, isDemo);
    else this.#countOther(ledger, record, deliveredAfterMs, isDemo);
    if (this.#attempts.length === RECORD_BATCH_ATTEMPTS) this.#parts.wake();
  }

  /**
   * Counts a skipped update and notes its actor, whose checkpoint must already include it. A test has no actor: null.
   */
  skipped(actor: Checkpointed | null, ledger: UsageLedger, feed: number): void {
    if (actor === null) this.#startBatch();
    else this.note(actor);
    ledger.skipped(feed);
  }

  /** Counts updates of a feed that streams have sent at `wallMs`, Unix epoch milliseconds (R4). */
  streamed(ledger: UsageLedger, feed: number, isDemo: boolean, updates: number, wallMs: number): void {
    this.#startBatch();
    if (!isIn(this.#day, wallMs)) this.#followClock();
    if (isIn(this.#day, wallMs)) {
      ledger.streamed(feed, isDemo, updates);
      return;
    }
    const single = new UsageLedger(ledger.accountId);
    single.streamed(feed, isDemo, updates);
    single.take(dayOf(wallMs), this.#usage, this.#latency);
  }

  /** Puts the actor's checkpoint into the next batch, because it has changed. */
  note(actor: Checkpointed): void {
    this.#startBatch();
    this.#noted.add(actor);
  }

  /** Takes no checkpoint of this actor any more: it was replaced. */
  forget(actor: Checkpointed): void {
    this.#noted.delete(actor);
  }

  /** Calls `written` once everything so far is durable, and every checkpoint is a row. Must not be called within a turn (R1). */
  whenWritten(written: () => void): void {
    this.#cutBatch(true);
    this.#awaitCut(written);
  }

  /** Calls `durable` once everything so far is durable: checkpoints may be late. Must not be called within a turn (R1). */
  whenDurable(durable: () => void): void {
    this.#cutBatch();
    this.#awaitCut(durable);
  }

  #awaitCut(written: () => void): void {
    if (this.#cut.length === 0 && this.#writing.kind === 'idle') {
      written();
      return;
    }
    this.#waiters.push({ batchNo: this.#batchNo, written });
    this.#parts.wake();
  }

  /**
   * Commits or keeps everything (R6), then calls `ended` with the number of batches that are neither recorded nor kept.
   * What waits in `whenWritten` or `whenDurable` is called only for what the database has confirmed. Must not be called within a turn
   * (R1).
   */
  end(ended: (lost: number) => void): void {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#health.size > 0) {
      this.#healthDueMs = nowMs;
      this.#healthRound = new RowRound(this.#health.size, Number.POSITIVE_INFINITY);
    }
    if (this.#writing.kind === 'over') {
      ended(0);
      return;
    }
    this.whenWritten(() => {
      this.#ending = null;
      ended(0);
    });
    if (this.#waiters.length === 0) return;
    this.#ending = { untilMs: nowMs + RECORD_LAST_COMMIT_MS, ended };
    // The database may be back by now.
    if (this.#writing.kind === 'waiting') this.#writing = { kind: 'waiting', untilMs: nowMs };
  }

  /** Cuts a batch if one is due and starts the next commit if there is any. Must not be called within a turn (R1). */
  advance(nowMs: number): void {
    if (this.#attempts.length >= RECORD_BATCH_ATTEMPTS) this.#cutBatch();
    if (this.#ending !== null && nowMs >= this.#ending.untilMs) this.#keep(this.#ending);
    const writing = this.#writing;
    if (writing.kind === 'committing' || writing.kind === 'over') return;
    if (writing.kind === 'waiting' && nowMs < writing.untilMs) return;
    if (this.#cut.length === 0 && nowMs >= this.#nextCutMs) this.#cutBatch();
    const next = this.#cut[0];
    if (next !== undefined) this.#write(next.batch);
  }

  /** Returns when `advance` is due next, on the monotonic clock. */
  nextDueMs(): number {
    const endMs = this.#ending?.untilMs ?? Number.POSITIVE_INFINITY;
    if (this.#writing.kind === 'over') return Number.POSITIVE_INFINITY;
    if (this.#writing.kind === 'committing') return endMs;
    if (this.#writing.kind === 'waiting') return Math.min(endMs, this.#writing.untilMs);
    return this.#cut.length > 0 ? 0 : this.#nextCutMs;
  }

  get #nextCutMs(): number {
    return Math.min(this.#oldestMs + RECORD_BATCH_MS, this.#healthDueMs, this.#late.dueMs);
  }

  /** Starts the clock of the next batch with its first change. */
  #startBatch(): void {
    if (this.#oldestMs !== Number.POSITIVE_INFINITY) return;
    this.#oldestMs = this.#parts.clock.nowMs();
    this.#followClock();
  }

  /** `withRows`: checkpoints are not to come late. */
  #cutBatch(withRows = false): void {
    this.#takeUsage();
    const usage = this.#usage;
    const latency = this.#latency;
    // Without a change of its own it repeats what came late.
    const sinceMs = Math.min(this.#oldestMs, this.#healthDueMs, this.#parts.clock.nowMs());
    // Even if there is nothing to write: a noted actor may have been replaced since.
    this.#oldestMs = Number.POSITIVE_INFINITY;
    const changed = this.#takeCheckpoints();
    const isLate = !withRows && this.#late.takesLate(changed);
    const checkpoints = isLate ? changed : this.#late.takeAllWith(changed);
    const lateRows = isLate ? this.#late.takePart(this.#batchNo + 1, this.#parts.clock.nowMs()) : null;
    const health = this.#takeHealth();
    const isEmpty =
      this.#attempts.length === 0 && usage.length === 0 && checkpoints.length === 0 && health.length === 0;
    if (isEmpty && lateRows === null) return;
    this.#batchNo++;
    const batch = {
      writer: this.#parts.writer,
      batchNo: this.#batchNo,
      attempts: this.#attempts,
      usage,
      latency,
      checkpoints,
      ...(isLate && { checkpointsAreLate: true as const }),
      ...(lateRows !== null && { lateRows }),
      ...(health.length > 0 && { health }),
    };
    this.#cut.push({ batch, sinceMs });
    // The next batch has probably about as many.
    this.#attempts = new AttemptList(this.#attempts.length);
    this.#usage = [];
    this.#latency = [];
  }

  /** An actor whose counts are wrong must not keep the others from being recorded (I9). */
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

  /** R7 */
  #takeHealth(): HealthDelta[] {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#healthDueMs > nowMs) return [];
    this.#healthRound ??= new RowRound(this.#health.size, RECORD_PART_ROWS_MIN);
    const health = this.#health.take(this.#parts.clock.wallMs(), this.#healthRound.nextPart());
    if (this.#healthRound.isOver) this.#healthRound = null;
    const nextMs = nowMs + (this.#healthRound === null ? RECORD_ROUND_MS : RECORD_BATCH_MS);
    this.#healthDueMs = this.#health.size > 0 ? nextMs : Number.POSITIVE_INFINITY;
    return health;
  }

  /** Allows only the transitions of `Writing`. */
  #enter(next: Writing): void {
    const from = this.#writing.kind;
    const legal = next.kind === 'over' || (next.kind === 'committing' ? from !== 'committing' : from === 'committing');
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

  #keep({ ended }: Ending): void {
    this.#ending = null;
    this.#enter({ kind: 'over' });
    this.#waiters.length = 0;
    const batches = this.#cut.map(({ batch }) => batch);
    ended(batches.length - this.#parts.keep(batches));
  }

  /** R9 */
  #superseded(error: Error): void {
    const ending = this.#ending;
    this.#ending = null;
    this.#enter({ kind: 'over' });
    this.#waiters.length = 0;
    this.#parts.reportProblem(error, Number.POSITIVE_INFINITY);
    ending?.ended(0);
  }

  #written(batch: RecordBatch, sinceMs: number): void {
    if (this.#writing.kind === 'over') return;
    this.#cut.shift();
    this.#parts.meter.committed(batch.attempts.length, this.#parts.clock.nowMs() - sinceMs);
    this.#held -= batch.attempts.length;
    assert(this.#held >= 0, 'R3: no more attempts are recorded than were held');
    this.#failures = 0;
    this.#enter({ kind: 'idle' });
    while (this.#waiters.length > 0 && this.#waiters[0]!.batchNo <= batch.batchNo) this.#waiters.shift()!.written();
    this.#parts.wake();
  }

  #failed(error: Error): void {
    if (this.#writing.kind === 'over') return;
    if (error instanceof WriterSuperseded) {
      this.#superseded(error);
      return;
    }
    const waitMs = Math.min(RECORD_RETRY_MS * 2 ** this.#failures, RECORD_RETRY_MS_MAX);
    this.#failures++;
    this.#parts.meter.commitFailed();
    this.#enter({ kind: 'waiting', untilMs: this.#parts.clock.nowMs() + waitMs });
    this.#parts.reportProblem(error, waitMs);
    this.#parts.wake();
  }

  #takeUsage(): void {
    for (const ledger of this.#ledgers.values()) {
      if (ledger.dirty) ledger.take(this.#day, this.#usage, this.#latency);
      this.#dropIfIdle(ledger);
    }
  }

  #dropIfIdle(ledger: UsageLedger): void {
    if (ledger.holders === 0 && !ledger.dirty) this.#ledgers.delete(ledger.accountId);
  }

  /** Counts an attempt that started on another day than the ledgers': as of that day, with a delta of its own. */
  #countOther(
    { accountId }: UsageLedger,
    record: AttemptRecord,
    deliveredAfterMs: number | null,
    isDemo: boolean,
  ): void {
    const single = new UsageLedger(accountId);
    single.attempt(record.feed, deliveredAfterMs, isDemo);
    single.take(dayOf(record.createdAtMs), this.#usage, this.#latency);
  }

  #followClock(): void {
    const wallMs = this.#parts.clock.wallMs();
    if (isIn(this.#day, wallMs)) return;
    this.#takeUsage();
    this.#day = dayOf(wallMs);
  }
}
