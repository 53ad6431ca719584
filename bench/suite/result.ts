// What every bench is and answers, so that one front door can list, run, print, store, draw and compare them all.

/** One thing that was measured, once in each round. */
export interface Measurement {
  /** Unique within the bench and the same in every version: `compare` finds its counterpart by it. */
  readonly name: string;
  readonly unit: '/s' | 'ns' | 'us' | 'ms' | 's' | 'B' | 'KiB' | 'MiB' | 'share' | 'x' | 'count';
  readonly better: 'higher' | 'lower';
  /** One value for each round; values of the same round in one bench were taken in turn, so they pair. At least one. */
  readonly samples: readonly number[];
  /** What it should reach, where that was said; shown beside the median. */
  readonly target?: number;
}

/** A curve to draw: x and y of the same length, x rising. */
export interface Series {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

export interface Plot {
  readonly title: string;
  /** Axis titles with their units. */
  readonly xTitle: string;
  readonly yTitle: string;
  readonly xScale: 'linear' | 'log';
  readonly yScale: 'linear' | 'log';
  /** A bounded number of points: at most PLOT_POINTS_MAX in each. */
  readonly series: readonly Series[];
}

export const PLOT_POINTS_MAX = 2_000;

export interface BenchResult {
  readonly bench: string;
  /** What it was run with, by the names of its options. */
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly measurements: readonly Measurement[];
  readonly plots: readonly Plot[];
  /** Correctness counters (lost, doubled, ...): every one must be zero, else the run failed. */
  readonly faults: Readonly<Record<string, number>>;
  /** What a reader must know: a peer that was skipped and why, a limit of the machine that was met. */
  readonly notes: readonly string[];
}

/** A module of the suite; its name and its line in the list stand in benches.ts. */
export interface Bench {
  /** The whole text of `--help`, its options included (but not `--json` and `--html`, which every bench has). */
  readonly help: string;
  /** The arguments of its small size, which runs in `npm test` and shows that the bench works, not how fast anything is. */
  readonly smoke: readonly string[];
  /** The arguments that `all` runs it with; left out: none. `null`: `all` leaves it out, because it takes too long. */
  readonly all?: readonly string[] | null;
  /**
   * Rejects, with a message that begins with the option's name, when an argument makes no sense. `progress` takes lines for a
   * person to see.
   */
  readonly run: (args: readonly string[], progress: (line: string) => void) => Promise<BenchResult>;
}
