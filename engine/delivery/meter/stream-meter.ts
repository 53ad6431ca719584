// Measures the streams of one protocol: how many are open, how many wait for their client, and what they have sent.

import { CellPlan } from './cell-plan.ts';
import { NamedCells } from './named-cells.ts';

/** Streams that are open, those of them whose client does not read, and updates sent. */
const FIGURES = ['open', 'blocked', 'updates'] as const;

const plan = new CellPlan();
const FIGURED = plan.take(FIGURES.length);
export const STREAM_CELLS = plan.size;

export class StreamMeter {
  static readonly memory = (): SharedArrayBuffer => plan.memory();
  readonly figures: NamedCells<(typeof FIGURES)[number]>;

  /** A thread that replaces another has no streams yet. */
  static restarted(memory: SharedArrayBuffer): StreamMeter {
    const meter = new StreamMeter(new Float64Array(memory));
    meter.figures.set('open', 0);
    meter.figures.set('blocked', 0);
    return meter;
  }

  constructor(cells: Float64Array) {
    this.figures = new NamedCells(FIGURES, cells, FIGURED);
  }
}
