// How forecasts of a race are scored, once it is known what happened: ranges, chances of a thing, chances of a count.

import { type BinaryOutcome, mean } from './scoring.ts';

/** A range and its middle that were told, what a simple forecast says, and what came: seconds, places or laps. */
export interface IntervalCase {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly simple: number;
  readonly real: number;
}

export interface IntervalScore {
  readonly count: number;
  /** Share within the range, its ends included. */
  readonly within: number;
  /** Mean absolute error of the middle, and of the simple forecast. */
  readonly error: number;
  readonly simpleError: number;
  /** Share whose error is one at most. */
  readonly withinOne: number;
  readonly simpleWithinOne: number;
}

export interface PassScore {
  readonly count: number;
  /** Mean chance that was told, and the share that happened. */
  readonly told: number;
  readonly happened: number;
  /** Mean squared error of the chance that was told, and of the share that happened in the other races. */
  readonly brier: number;
  readonly simpleBrier: number | null;
}

/** Chances of a count, by count, and what it was. */
export interface CountCase {
  readonly chances: readonly number[];
  readonly happened: number;
}

export interface CountScore {
  readonly count: number;
  readonly logLoss: number;
  /** Of the shares of the other races; null: there are none. */
  readonly simpleLogLoss: number | null;
}

/** Log-losses are clipped at 1 and 99 %, of all alike, as those of live odds. */
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

/** `others`: of the other races, which the simple chance is drawn from. */
export function scorePasses(cases: readonly BinaryOutcome[], others: readonly BinaryOutcome[]): PassScore | null {
  if (cases.length === 0) return null;
  const happens = ({ happened }: BinaryOutcome): boolean => happened;
  const brier = (chanceOf: (one: BinaryOutcome) => number): number =>
    mean(cases.map((one) => (chanceOf(one) - (one.happened ? 1 : 0)) ** 2));
  const share = shareOf(others, happens);
  return {
    count: cases.length,
    told: mean(cases.map(({ probability }) => probability)),
    happened: shareOf(cases, happens),
    brier: brier(({ probability }) => probability),
    simpleBrier: others.length === 0 ? null : brier(() => share),
  };
}

/** `others`: of the other races, whose shares are the simple chances. */
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
