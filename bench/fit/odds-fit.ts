// Fits the live odds to the laps of the Grands Prix of 2018 to 2021 and the sprints of 2021: eight moments of each race,
// with what previews knew before its weekend and what circuits cost in the other seasons. The numbers are those with the least loss that the search finds: log-loss
// of the winner, and RPS of all places, which is smaller and counts tenfold.

import { battleCases } from '#bench/laps/battle-cases.ts';
import { readRaces } from '#bench/laps/lap-tables.ts';
import { stopCases } from '#bench/laps/stop-cases.ts';
import { lossesOf, type OddsCase } from '#bench/models/odds-cases.ts';
import { CIRCUITS_ALIKE } from '#bench/models/odds-evaluation.ts';
import { tabledOddsCases } from '#bench/models/odds-history.ts';
import { mean } from '#bench/models/scoring.ts';
import { assert } from '#engine/base/assert.ts';
import type { OddsSettings } from '#engine/racing/analytics/odds-settings.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { horizonOf } from './battle-fit.ts';
import { type Coefficients, F1DB, type Fit, LAP_TABLES } from './fit.ts';
import { pitLossOf } from './pit-loss-fit.ts';
import { FIT_SEASON_MAX, pathsOf, searched, upTo } from './previews.ts';

const SEASONS = [2018, 2019, 2020, FIT_SEASON_MAX];
const PLACES_WEIGHT = 10;
/** Passes within so many laps tell how easy it is to pass at a circuit. */
const PASS_LAPS = 3;
/** Factors of the passes. */
const STEPS = [1.6, 1.3, 1.15, 1.07, 1.03, 1.03] as const;

/** Where the search begins: what it found when circuits and cars were alike, and plain values of what tells them apart. */
export const START: OddsSettings = {
  ...CIRCUITS_ALIKE,
  passEase: 0.5,
  retirementPower: 1,
};

export const ODDS_FIT: Fit = {
  summary: 'pace, passing, stops and retirements of live odds, from laps since 2018 and what previews knew',
  file: 'engine/racing/analytics/coefficients/odds.json',
  sources: [LAP_TABLES, F1DB],
  method:
    'Deterministic coordinate search (bench/fit/odds-fit.ts) for the least loss at eight moments of each Grand Prix and ' +
    'sprint of those seasons: log-loss of the winner and ten times the RPS of all places. Strengths before a race are ' +
    'those of previews that know nothing of its weekend, costs of stops and passes at its circuit those of the other ' +
    'seasons. No recording had a part in it.',
  fit({ history: folder, laps }, progress) {
    const cases = withOtherSeasons(tabledOddsCases(laps, SEASONS, upTo(readF1dbRelease(folder), FIT_SEASON_MAX)), laps);
    assert(cases.length > 0, 'the tables have a race to score');
    progress(`${cases.length} moments, loss ${oddsLoss(cases, START).toFixed(4)}`);
    const { settings } = searched(START, pathsOf(START, ''), STEPS, (one) => oddsLoss(cases, one), progress);
    return {
      seasons: `${SEASONS[0]} to ${FIT_SEASON_MAX}`,
      values: settings as unknown as Record<string, Coefficients>,
    };
  },
};

/** A season must not be told by the circuit what happened in it. */
function withOtherSeasons(cases: readonly OddsCase[], folder: string): readonly OddsCase[] {
  const races = readRaces(folder, SEASONS[0]!, FIT_SEASON_MAX).filter(({ isSprint }) => !isSprint);
  return [...Map.groupBy(cases, ({ season }) => season)].flatMap(([season, own]) => {
    const others = races.filter((race) => race.season !== season);
    const passes = horizonOf(others.flatMap(battleCases), PASS_LAPS).circuits;
    const stops = pitLossOf(others.flatMap(stopCases));
    return own.map((one): OddsCase => {
      const event = one.event ?? '';
      const passEase = passes[event]?.[0] ?? 0;
      const stopPart = (stops.circuits[event]?.[0] ?? stops.seconds) / stops.seconds;
      return { ...one, situation: { ...one.situation, field: { ...one.situation.field, passEase, stopPart } } };
    });
  });
}

export function oddsLoss(cases: readonly OddsCase[], settings: OddsSettings): number {
  return mean(lossesOf(cases, settings).map(({ winner, places }) => winner + PLACES_WEIGHT * places));
}
