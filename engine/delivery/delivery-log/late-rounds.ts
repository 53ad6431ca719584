// Late checkpoints on their way to rows of their own (R8), in rounds.

import { RECORD_BATCH_MS } from '#engine/base/limits.ts';
import { CheckpointSet } from './checkpoint-set.ts';
import { standing } from './late-checkpoints.ts';
import { type Checkpoint, type LateRows, NO_SPANS } from './record-store.ts';
import { RowRound } from './row-round.ts';

interface Round {
  readonly rows: RowRound;
  /** What was late at its beginning. */
  readonly listed: readonly Checkpoint[];
  place: number;
  /** The batch with which it began. */
  readonly batchNo: number;
}

export class LateRounds {
  readonly #rowsAtOnce: number;
  /** The latest checkpoint of each actor, until it is a row. */
  #late = new CheckpointSet();
  #round: Round | null = null;
  #nextPartMs = Number.NEGATIVE_INFINITY;

  constructor(rowsAtOnce: number) {
    this.#rowsAtOnce = rowsAtOnce;
  }

  /** When the next part is due, on the monotonic clock; Infinity while nothing is late. */
  get dueMs(): number {
    return this.#late.size > 0 ? this.#nextPartMs : Number.POSITIVE_INFINITY;
  }

  /** Adds these and returns true if they are too many, with those that wait, to be rows at once. */
  takesLate(changed: readonly Checkpoint[]): boolean {
    if (this.#late.size + changed.length <= this.#rowsAtOnce) return false;
    for (const checkpoint of changed) this.#late.add(checkpoint);
    return true;
  }

  /** Takes all that is late, and adds these, which changed since. What late ones skipped and decided is written already. */
  takeAllWith(changed: Checkpoint[]): Checkpoint[] {
    if (this.#late.size === 0) return changed;
    const late = this.#late;
    this.#late = new CheckpointSet();
    this.#round = null;
    for (const checkpoint of changed) late.take(checkpoint);
    const checkpoints: Checkpoint[] = late.list();
    for (let i = 0; i < checkpoints.length; i++) checkpoints[i] = { ...standing(checkpoints[i]!), spans: NO_SPANS };
    for (const checkpoint of changed) checkpoints.push(checkpoint);
    return checkpoints;
  }

  /** Takes the next part for this batch, or the first one of a new round; null if none is due. */
  takePart(batchNo: number, nowMs: number): LateRows | null {
    if (nowMs < this.dueMs) return null;
    this.#nextPartMs = nowMs + RECORD_BATCH_MS;
    this.#round ??= {
      rows: new RowRound(this.#late.size, this.#rowsAtOnce),
      listed: this.#late.list(),
      place: 0,
      batchNo,
    };
    const round = this.#round;
    const checkpoints: Checkpoint[] = [];
    for (let left = round.rows.nextPart(); left > 0; left--)
      checkpoints.push(this.#late.take(round.listed[round.place++]!)!);
    if (!round.rows.isOver) return { checkpoints, upToBatchNo: 0 };
    this.#round = null;
    return { checkpoints, upToBatchNo: round.batchNo };
  }
}
