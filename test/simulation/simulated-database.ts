// The database of a simulation. Its contents survive the death of processes. Each thread has its own client, whose
// statements take effect or fail depending on the weather. A statement can take effect after its sender has seen it
// fail, and even after its sender has died.

import { DATABASE_SILENCE_MS_MAX } from '#engine/base/limits.ts';
import {
  type Checkpoint,
  newCheckpoint,
  type RecordBatch,
  type RecordStore,
  type Writer,
} from '#engine/delivery/delivery-log/record-store.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import type { SimulatedTime } from '#test/support/simulated-time.ts';
import { chanceOf } from './chance.ts';
import type { Observed } from './observed.ts';
import type { Weather } from './scenario.ts';

/** When a statement takes effect (null: never), and when and with what result its sender gets a response. */
interface Fate {
  readonly landsAfterMs: number | null;
  readonly answersAfterMs: number;
  readonly fails: boolean;
}

/** How long after its sender's death a statement takes effect. */
const ORPHAN_MS_MAX = 450;
/** Within which time a silent database does what it will do. */
const SILENT_MS = 20_000;

export class SimulatedDatabase {
  readonly memory = new MemoryRecordStore();
  weather: Weather | 'fair' = 'fair';
  readonly #time: SimulatedTime;
  readonly #observed: Observed;
  readonly #seed: number;
  #statements = 0;

  constructor(seed: number, time: SimulatedTime, observed: Observed) {
    this.#seed = seed;
    this.#time = time;
    this.#observed = observed;
  }

  /** Inserts the row of an endpoint that joins a run. */
  enter(runId: string, endpoint: string, position: number): void {
    this.memory.put({ ...newCheckpoint(runId, endpoint), nextPosition: position });
  }

  client(): DatabaseClient {
    return new DatabaseClient(this, this.#time, this.#observed);
  }

  /** Applies the batch now, if its writer may commit. Resolves and rejects as the store does. */
  land(batch: RecordBatch): Promise<void> {
    const { memory } = this;
    const before = memory.written;
    const outcome = memory.commit(batch);
    if (memory.written > before)
      for (const record of batch.attempts) this.#observed.landed.push({ record, landedAtMs: this.#time.nowMs() });
    return outcome;
  }

  roll(what: string, statement: number): number {
    return chanceOf(this.#seed, 'database', statement, what);
  }

  nextStatement(): number {
    return this.#statements++;
  }

  fateOf(statement: number): Fate {
    const roll = (what: string): number => this.roll(what, statement);
    const landsAfterMs = this.weather === 'slow' ? 200 + 2_800 * roll('lands') : 0.5 + 12 * roll('lands');
    const answersAfterMs = landsAfterMs + 0.2 + 3 * roll('answers');
    const isUp = this.weather === 'fair' || this.weather === 'slow' || this.weather === 'unreadable';
    if (this.weather === 'silent') {
      const kind = roll('silent');
      const lateMs = kind < 0.4 ? landsAfterMs : SILENT_MS * roll('later');
      return { landsAfterMs: kind < 0.7 ? lateMs : null, answersAfterMs: DATABASE_SILENCE_MS_MAX, fails: true };
    }
    const isLucky = this.weather !== 'away' && roll('luck') < 0.3;
    if (isUp || isLucky) return { landsAfterMs, answersAfterMs, fails: false };
    if (this.weather !== 'unsure') return { landsAfterMs: null, answersAfterMs, fails: true };
    // Its response is lost. It took effect before that, takes effect afterwards, or never.
    const kind = roll('unsure');
    if (kind < 0.5) return { landsAfterMs, answersAfterMs, fails: true };
    return { landsAfterMs: kind < 0.8 ? answersAfterMs + 1_500 * roll('later') : null, answersAfterMs, fails: true };
  }
}

export class DatabaseClient implements RecordStore {
  readonly #database: SimulatedDatabase;
  readonly #time: SimulatedTime;
  readonly #observed: Observed;
  /** Statements that have not taken effect yet. */
  readonly #underWay = new Map<number, { readonly lands: () => void; readonly cancel: () => void }>();
  #alive = true;
  #committing: RecordBatch | null = null;
  #onceCommitting: (() => void) | null = null;
  #lastBatchNo = 0;

  constructor(database: SimulatedDatabase, time: SimulatedTime, observed: Observed) {
    this.#database = database;
    this.#time = time;
    this.#observed = observed;
  }

  /** Calls back when a commit is sent that has not taken effect yet. */
  onceCommitting(callback: () => void): void {
    this.#onceCommitting = callback;
  }

  /** Its thread died. Statements that it sent may still take effect, even after the next thread has started. */
  die(): void {
    this.#alive = false;
    for (const [statement, { lands, cancel }] of this.#underWay) {
      cancel();
      if (this.#database.roll('orphan', statement) < 0.75)
        this.#time.schedule(ORPHAN_MS_MAX * this.#database.roll('orphan lands', statement), lands);
    }
  }

  admit(writer: Writer): Promise<void> {
    return this.#send(() => this.#database.memory.admit(writer));
  }

  async commit(batch: RecordBatch): Promise<void> {
    this.#expectInOrder(batch);
    this.#observed.batch(this.#time.nowMs(), batch, 'commit');
    this.#committing = batch;
    if (this.#onceCommitting !== null) this.#time.schedule(0.1, this.#onceCommitting);
    try {
      await this.#send(() => {
        this.#observed.batch(this.#time.nowMs(), batch, 'lands');
        return this.#database.land(batch);
      });
    } finally {
      this.#committing = null;
    }
  }

  checkpoints(runId: string, webhookIds: readonly string[]): Promise<Checkpoint[]> {
    const database = this.#database;
    const isUnreadable = database.weather === 'unreadable' && database.roll('read', database.nextStatement()) < 0.6;
    if (isUnreadable) return this.#send(() => Promise.reject(new Error('the database cannot be read')));
    return this.#send(() => database.memory.checkpoints(runId, webhookIds));
  }

  #send<Result>(effect: () => Promise<Result>): Promise<Result> {
    const database = this.#database;
    const statement = database.nextStatement();
    const { landsAfterMs, answersAfterMs, fails } = database.fateOf(statement);
    return new Promise<Result>((resolve, reject) => {
      let outcome: Promise<Result> | null = null;
      const lands = (): void => {
        this.#underWay.delete(statement);
        outcome = effect();
        outcome.catch(() => {});
      };
      if (landsAfterMs !== null)
        this.#underWay.set(statement, { lands, cancel: this.#time.schedule(landsAfterMs, lands) });
      this.#time.schedule(answersAfterMs, () => {
        if (!this.#alive) return;
        if (fails || outcome === null) reject(new Error('the response of the database was lost'));
        else outcome.then(resolve, reject);
      });
    });
  }

  /** R2: one at a time, in order, each under its own number until it is written. */
  #expectInOrder(batch: RecordBatch): void {
    if (this.#committing !== null) this.#observed.violated(`R2: ${batch.writer.name} writes two batches at once`);
    if (batch.batchNo !== this.#lastBatchNo && batch.batchNo !== this.#lastBatchNo + 1)
      this.#observed.violated(`R2: ${batch.writer.name} writes batch ${batch.batchNo} after ${this.#lastBatchNo}`);
    this.#lastBatchNo = batch.batchNo;
  }
}
