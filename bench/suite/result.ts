// The interface of a bench and of its result, which lets one entry point list, run, print, store, draw and compare all
// benches.

/** One quantity, measured once per round. */
export interface Measurement {
  /** Unique within the bench, and stable across versions: `compare` matches measurements by name. */
  readonly name: string;
  readonly unit: '/s' | 'ns' | 'us' | 'ms' | 's' | 'B' | 'KiB' | 'MiB' | 'share' | 'x' | 'count';
  readonly better: 'higher' | 'lower';
  /** One value per round, at least one. Measurements of one round alternate, so their samples pair by index. */
  readonly samples: readonly number[];
  /** What the median should reach; shown beside it. */
  readonly target?: number;
}

/** A curve: x and y have the same length, and x is ascending. */
export interface Series {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

export interface Plot {
  readonly title: string;
  /** Axis titles, units included. */
  readonly xTitle: string;
  readonly yTitle: string;
  readonly xScale: 'linear' | 'log';
  readonly yScale: 'linear' | 'log';
  /** Each has at most PLOT_POINTS_MAX points. */
  readonly series: readonly Series[];
}

export const PLOT_POINTS_MAX = 2_000;

export interface BenchResult {
  readonly bench: string;
  /** The settings of the run, by option name. */
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly measurements: readonly Measurement[];
  readonly plots: readonly Plot[];
  /** Correctness counters (lost, doubled, ...). The run failed unless all are zero. */
  readonly faults: Readonly<Record<string, number>>;
  /** What a reader must know: a peer that was skipped and why, a limit of the machine that was reached. */
  readonly notes: readonly string[];
}

/** A module of the suite. Its name and its summary are in benches.ts. */
export interface Bench {
  /** The whole text of `--help`, with its options except `--json` and `--html`, which every bench has. */
  readonly help: string;
  /** Arguments for its smallest size. `npm test` runs it to show that the bench works; its figures mean nothing. */
  readonly smoke: readonly string[];
  /** Arguments for `all`; none if absent. `null`: `all` skips the bench, because it takes too long. */
  readonly all?: readonly string[] | null;
  /** Rejects if an argument is invalid, with a message that begins with the option's name. `progress` prints a line. */
  readonly run: (args: readonly string[], progress: (line: string) => void) => Promise<BenchResult>;
}
