// Scores forecasts of a race against what happened: ranges, chances of an event, and chances of a count.

import { type BinaryOutcome, mean } from './scoring.ts';

/** A forecast range with its middle, a simple forecast, and the real value, in seconds, places or laps. */
export interface IntervalCase {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly simple: number;
  readonly real: number;
}

export interface IntervalScore {
  readonly count: number;
  /** Share of real values within the range, including its ends. */
  readonly within: number;
  /** Mean absolute error of the middle, and of the simple forecast. */
  readonly error: number;
  readonly simpleError: number;
  /** Share of cases with an error of at most one. */
  readonly withinOne: number;
  readonly simpleWithinOne: number;
}

export interface PassScore {
  readonly count: number;
  /** Mean forecast chance, and the share that happened. */
  readonly expected: number;
  readonly happened: number;
  /**
   * Mean squared error of the forecast chance, and of the share that happened in the other races. Null: no other race.
   */
  readonly brier: number;
  readonly simpleBrier: number | null;
}

/** Chances by count, and the real count. */
export interface CountCase {
  readonly chances: readonly number[];
  readonly happened: number;
}

export interface CountScore {
  readonly count: number;
  readonly logLoss: number;
  /** Log-loss of the shares of the other races. Null: no other race. */
  readonly simpleLogLoss: number | null;
}

/** Chances are clipped to 1 and 99 % for every forecaster, as for live odds. */
const CERTAIN = 0.99;

export function scoreIntervals(cases: readonly IntervalCase[]): IntervalScore | null {
  if (cases.length === 0) return null;
  const errors = cases.map(({ middle, real }) => Math.abs(middle - real));
  const simpleErrors = cases.map(({ simple, real }) => Math.abs(simple - real));
  return {
    count: cases.length,
    within: shareOf(cases, ({ low, high, real }) => real >= low && real <= high),
    error: mean(errors),
    simpleError: mean(simpleErrors),
    withinOne: shareOf(errors, (error) => error <= 1),
    simpleWithinOne: shareOf(simpleErrors, (error) => error <= 1),
  };
}

/** `others`: the cases of the other races. Their share is the simple forecast. */
export function scorePasses(cases: readonly BinaryOutcome[], others: readonly BinaryOutcome[]): PassScore | null {
  if (cases.length === 0) return null;
  const happens = ({ happened }: BinaryOutcome): boolean => happened;
  const brier = (chanceOf: (one: BinaryOutcome) => number): number =>
    mean(cases.map((one) => (chanceOf(one) - (one.happened ? 1 : 0)) ** 2));
  const share = shareOf(others, happens);
  return {
    count: cases.length,
    expected: mean(cases.map(({ probability }) => probability)),
    happened: shareOf(cases, happens),
    brier: brier(({ probability }) => probability),
    simpleBrier: others.length === 0 ? null : brier(() => share),
  };
}

/** `others`: the cases of the other races. Their shares are the simple forecast. */
export function scoreCounts(cases: readonly CountCase[], others: readonly CountCase[]): CountScore | null {
  if (cases.length === 0) return null;
  const loss = (chanceOf: (one: CountCase) => number): number =>
    mean(cases.map((one) => -Math.log(Math.min(CERTAIN, Math.max(1 - CERTAIN, chanceOf(one))))));
  return {
    count: cases.length,
    logLoss: loss(({ chances, happened }) => chances[happened]!),
    simpleLogLoss:
      others.length === 0 ? null : loss(({ happened }) => shareOf(others, (other) => other.happened === happened)),
  };
}

function shareOf<Value>(values: readonly Value[], counts: (value: Value) => boolean): number {
  return values.filter(counts).length / values.length;
}
