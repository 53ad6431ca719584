// Fits the live odds to the laps of the Grands Prix of 2018 to 2021 and the sprints of 2021: eight moments of each race,
// with what previews knew before its weekend. The numbers are those with the least loss that the search finds: log-loss
// of the winner, and RPS of all places, which is smaller and counts tenfold.

import { lossesOf, type OddsCase } from '#bench/models/odds-cases.ts';
import { tabledOddsCases } from '#bench/models/odds-history.ts';
import { mean } from '#bench/models/scoring.ts';
import { assert } from '#engine/base/assert.ts';
import type { OddsSettings } from '#engine/racing/analytics/odds-settings.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { type Coefficients, F1DB, type Fit, LAP_TABLES } from './fit.ts';
import { FIT_SEASON_MAX, pathsOf, searched, upTo } from './previews.ts';

const SEASONS = [2018, 2019, 2020, FIT_SEASON_MAX];
const PLACES_WEIGHT = 10;
/** Factors of the passes. */
const STEPS = [1.6, 1.3, 1.15, 1.07, 1.03, 1.03] as const;

/** Where the search begins: figures published for those years, and half of them where there was none. */
export const START: OddsSettings = {
  placeSeconds: [0.08, 0.12],
  placeDeviation: [0.5, 0.15],
  strengthSeconds: [0.1, 0.05],
  measuredShare: 1,
  paceChangeSeconds: 0.15,
  passSeconds: 1.6,
  stopSeconds: 21,
  retirementsPerRace: 0.145,
};

export const ODDS_FIT: Fit = {
  summary: 'pace, passing, stops and retirements of live odds, from laps since 2018 and what previews knew',
  file: 'engine/racing/analytics/coefficients/odds.json',
  sources: [LAP_TABLES, F1DB],
  method:
    'Deterministic coordinate search (bench/fit/odds-fit.ts) for the least loss at eight moments of each Grand Prix and ' +
    'sprint of those seasons: log-loss of the winner and ten times the RPS of all places. Strengths before a race are ' +
    'those of previews that know nothing of its weekend. No recording had a part in it.',
  fit({ history: folder, laps }, progress) {
    const cases = tabledOddsCases(laps, SEASONS, upTo(readF1dbRelease(folder), FIT_SEASON_MAX));
    assert(cases.length > 0, 'the tables have a race to score');
    progress(`${cases.length} moments, loss ${oddsLoss(cases, START).toFixed(4)}`);
    const { settings } = searched(START, pathsOf(START, ''), STEPS, (one) => oddsLoss(cases, one), progress);
    return {
      seasons: `${SEASONS[0]} to ${FIT_SEASON_MAX}`,
      values: settings as unknown as Record<string, Coefficients>,
    };
  },
};

export function oddsLoss(cases: readonly OddsCase[], settings: OddsSettings): number {
  return mean(lossesOf(cases, settings).map(({ winner, places }) => winner + PLACES_WEIGHT * places));
}
