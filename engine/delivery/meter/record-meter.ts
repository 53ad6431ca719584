// Measures the group commit of one shard: the size of its batches, how long commits take, and how many fail.

import { CellPlan } from './cell-plan.ts';
import { Histogram, histogramCells } from './histogram.ts';
import { NamedCells } from './named-cells.ts';

export const BATCH_BOUNDS = [1, 10, 50, 100, 500, 1_000, 2_000, 5_000] as const;
export const COMMIT_BOUNDS_MS = [2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 30_000] as const;
const COUNTS = ['failures'] as const;

const plan = new CellPlan();
const BATCHES = plan.take(histogramCells(BATCH_BOUNDS));
const COMMIT_MS = plan.take(histogramCells(COMMIT_BOUNDS_MS));
const COUNTED = plan.take(COUNTS.length);
export const RECORD_CELLS = plan.size;

export class RecordMeter {
  /** Attempts per batch. */
  readonly batches: Histogram;
  readonly commitMs: Histogram;
  readonly #counted: NamedCells<(typeof COUNTS)[number]>;

  constructor(cells: Float64Array, first: number) {
    this.batches = new Histogram(BATCH_BOUNDS, cells, first + BATCHES);
    this.commitMs = new Histogram(COMMIT_BOUNDS_MS, cells, first + COMMIT_MS);
    this.#counted = new NamedCells(COUNTS, cells, first + COUNTED);
  }

  committed(attempts: number, ms: number): void {
    this.batches.record(attempts);
    this.commitMs.record(ms);
  }

  commitFailed(): void {
    this.#counted.add('failures');
  }

  get commitFailures(): number {
    return this.#counted.value('failures');
  }
}
