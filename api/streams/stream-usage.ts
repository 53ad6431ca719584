// Counts what streams send, like deliveries: each update is one of the month's. The counts are written by a group commit of
// their own, so each is written once, also when the database's answer was lost.

import type { Allowances } from '#api/usage/allowances.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { RECORD_BATCH_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { RecordBatch, RecordStore, Writer } from '#engine/delivery/delivery-log/record-store.ts';
import { Recorder } from '#engine/delivery/delivery-log/recorder.ts';
import { RECORD_CELLS, RecordMeter } from '#engine/delivery/meter/record-meter.ts';
import type { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';

export interface StreamUsageParts {
  readonly store: RecordStore;
  readonly writer: Writer;
  /** Keeps batches outside the database until the next start. Returns how many of them, from the first on. */
  readonly keep: (batches: readonly RecordBatch[]) => number;
  readonly allowances: Allowances;
  readonly clock: TimerClock;
  readonly log: Log;
}

export class StreamUsage {
  readonly #parts: StreamUsageParts;
  readonly #recorder: Recorder;
  /** Accounts that are released with the next commit (M2). */
  #leaving: string[] = [];
  #cancel: () => void = () => {};
  /** When the recorder is advanced next, on the monotonic clock. */
  #advancesAtMs = Number.POSITIVE_INFINITY;
  /** Whether that is within RECORD_BATCH_MS: then the next update need not look at the clock. */
  #advancesSoon = false;

  constructor(parts: StreamUsageParts) {
    this.#parts = parts;
    const { store, writer, keep, clock, log } = parts;
    this.#recorder = new Recorder({
      store,
      writer,
      keep,
      clock,
      meter: new RecordMeter(new Float64Array(RECORD_CELLS), 0),
      wake: () => this.#advanceIn(0),
      reportProblem: (error, waitMs) =>
        log.warn({ err: error, waitMs }, 'could not write the usage of streams yet; it is retried'),
    });
  }

  /** The account's counts. The caller must close them once. */
  open(accountId: string): UsageLedger {
    return this.#recorder.openLedger(accountId);
  }

  /** Counts updates that were sent at this time (Unix epoch milliseconds). */
  sent(ledger: UsageLedger, feed: number, isDemo: boolean, updates: number, wallMs: number): void {
    this.#recorder.streamed(ledger, feed, isDemo, updates, wallMs);
    if (!this.#advancesSoon) this.#advanceIn(RECORD_BATCH_MS);
  }

  /** The account's stream has ended: once its counts are written, the allowance that it held is released. */
  close(ledger: UsageLedger): void {
    this.#recorder.closeLedger(ledger);
    this.#leaving.push(ledger.accountId);
    if (this.#leaving.length > 1) return;
    this.#parts.clock.schedule(RECORD_BATCH_MS, () => this.#release());
  }

  /** Writes or keeps everything. Resolves with the number of batches that are neither written nor kept. */
  end(): Promise<number> {
    return new Promise((resolve) => {
      this.#recorder.end(resolve);
      this.#advanceIn(0);
    });
  }

  #release(): void {
    const leaving = this.#leaving;
    this.#leaving = [];
    this.#recorder.whenWritten(() => {
      for (const accountId of leaving) this.#parts.allowances.release(accountId);
    });
  }

  /** Within this time at the latest. */
  #advanceIn(delayMs: number): void {
    const { clock } = this.#parts;
    const atMs = clock.nowMs() + delayMs;
    if (atMs >= this.#advancesAtMs) return;
    this.#cancel();
    this.#advancesAtMs = atMs;
    this.#advancesSoon = delayMs <= RECORD_BATCH_MS;
    this.#cancel = clock.schedule(delayMs, () => {
      this.#advancesAtMs = Number.POSITIVE_INFINITY;
      this.#advancesSoon = false;
      this.#recorder.advance(clock.nowMs());
      const dueMs = this.#recorder.nextDueMs();
      if (dueMs !== Number.POSITIVE_INFINITY) this.#advanceIn(Math.max(1, dueMs - clock.nowMs()));
    });
  }
}
