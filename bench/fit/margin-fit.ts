// Fits the winning margin to eight moments of each Grand Prix of 2018 to 2021: what past races with such a gap say, and how
// much they count beside the odds.

import { type MarginCase, marginCases, marginLoss, toldMargins } from '#bench/models/margin-cases.ts';
import { tabledOddsCases } from '#bench/models/odds-history.ts';
import { mean } from '#bench/models/scoring.ts';
import { assert } from '#engine/base/assert.ts';
import type { MarginSettings } from '#engine/racing/analytics/margin-settings.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { type Coefficients, F1DB, type Fit, LAP_TABLES } from './fit.ts';
import { FIT_SEASON_MAX, pathsOf, searched, upTo } from './previews.ts';

const SEASONS = [2018, 2019, 2020, FIT_SEASON_MAX];
/** Factors of the passes. */
const STEPS = [1.6, 1.3, 1.15, 1.07, 1.03, 1.03] as const;
/** The search heeds gains of losses about as large as those of winners. */
const WEIGHT = 10;

/** Where the search begins. */
export const START: MarginSettings = {
  level: [1.2, 0.5],
  slope: [0.5, -0.3],
  scatter: [0.7, 0.2],
  pastShare: 1,
  pastPower: 1,
  passPart: 0.5,
};

export const MARGIN_FIT: Fit = {
  summary: 'the winning margin by gap and distance to come, from laps since 2018',
  file: 'engine/racing/analytics/coefficients/margin.json',
  sources: [LAP_TABLES, F1DB],
  method:
    'Deterministic coordinate search (bench/fit/margin-fit.ts) for the least RPS of the margin at eight moments of each ' +
    'Grand Prix of those seasons.',
  fit({ history: folder, laps }, progress) {
    const history = upTo(readF1dbRelease(folder), FIT_SEASON_MAX);
    const moments = tabledOddsCases(laps, SEASONS, history).filter(({ sessionId }) => !sessionId.endsWith('-sprint'));
    const cases = marginCases(moments, history);
    assert(cases.length > 0, 'the tables have a race to score');
    progress(`${cases.length} moments, loss ${marginFitLoss(cases, START).toFixed(4)}`);
    const { settings } = searched(
      START,
      pathsOf(START, ''),
      STEPS,
      (one) => WEIGHT * marginFitLoss(cases, one),
      progress,
    );
    return {
      seasons: `${SEASONS[0]} to ${FIT_SEASON_MAX}`,
      values: settings as unknown as Record<string, Coefficients>,
    };
  },
};

export function marginFitLoss(cases: readonly MarginCase[], settings: MarginSettings): number {
  return mean(toldMargins(cases, settings).map((told, index) => marginLoss(told, cases[index]!)));
}
