// Measures one thread: how late its timers fire, how busy it is, and how much memory it uses.

import { CellPlan } from './cell-plan.ts';
import { Histogram, histogramCells } from './histogram.ts';
import { NamedCells } from './named-cells.ts';

export const DELAY_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000] as const;
/** `seenAtMs` is on the monotonic clock that all threads share; 0 before the thread first starts. */
const FIGURES = ['starts', 'busyMs', 'gcMs', 'heapBytes', 'seenAtMs'] as const;

const plan = new CellPlan();
const DELAY_MS = plan.take(histogramCells(DELAY_BOUNDS_MS));
const FIGURED = plan.take(FIGURES.length);
export const THREAD_CELLS = plan.size;

export class ThreadMeter {
  static readonly memory = (): SharedArrayBuffer => plan.memory();
  /** How late timers fire on the thread. */
  readonly delayMs: Histogram;
  readonly figures: NamedCells<(typeof FIGURES)[number]>;

  constructor(cells: Float64Array, first = 0) {
    this.delayMs = new Histogram(DELAY_BOUNDS_MS, cells, first + DELAY_MS);
    this.figures = new NamedCells(FIGURES, cells, first + FIGURED);
  }
}
