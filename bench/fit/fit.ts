// What a fit is: it reads past seasons and makes the numbers of one model. They are kept in a file beside the model, with
// where they come from. Tables that a fit reads are not part of the project.

/** Folders of tables. */
export interface FitSources {
  /** A CSV release of f1db. */
  readonly history: string;
  /** Tables of laps. */
  readonly laps: string;
  /** Recordings. */
  readonly recordings: string;
}

/** A JSON value: numbers, lists and records of them. */
export type Coefficients = number | string | readonly Coefficients[] | { readonly [name: string]: Coefficients };

export interface Fitted {
  /** Seasons that the numbers and the choices behind them were made on: "2014 to 2021". */
  readonly seasons: string;
  readonly values: { readonly [name: string]: Coefficients };
}

export interface Fit {
  /** What the numbers are for, in a line. */
  readonly summary: string;
  /** The file of coefficients, relative to the project. */
  readonly file: string;
  /** Each source with its licence. */
  readonly sources: readonly string[];
  /** How the numbers were found, in a sentence or two. */
  readonly method: string;
  /** The same sources give the same numbers. Throws a SourceError that names the file and line of bad input. */
  fit(sources: FitSources, progress: (line: string) => void): Fitted;
}

/** A file of coefficients. */
export interface CoefficientsFile extends Fitted {
  readonly sources: readonly string[];
  readonly method: string;
  /** The day of the fit that changed the file last. */
  readonly date: string;
}

export const F1DB = 'f1db (f1db.com), CC BY 4.0';
export const LAP_TABLES = 'Armchair-Strategist (github.com/Casper-Guo/Armchair-Strategist), Apache-2.0';
/** Of qualifying, 2023 to 2026. */
export const RECORDINGS = [
  'recordings of qualifying, as FastF1 has them for its tests (github.com/theOehrly/fastf1-test-data)',
  'a recording of qualifying (github.com/AidanFogarty/pitwall)',
  'a recording of qualifying (github.com/kmschang/fastf1_livetiming), MIT',
  'a recording of qualifying (github.com/USBurlando/f1-dash), AGPL-3.0',
];
