// Evaluates previews by rolling origin: each race is forecast from what came before it and then compared with its
// result, at each stage of knowledge of the weekend, next to simple rules. All forecasters know the entered drivers. The
// simple rules even know who started, which no real forecast can.

import type { WeekendKnown } from '#engine/seasons/forecast/forecast.ts';
import type { Forecaster, RaceOutlook } from '#engine/seasons/forecast/forecaster.ts';
import { slotsOf } from '#engine/seasons/forecast/grid-effect.ts';
import { hasStarted } from '#engine/seasons/forecast/race-start.ts';
import type { History, RaceWeekend } from '#engine/seasons/history/history.ts';
import {
  GRID_SMOOTHING,
  GridAndGapBaseline,
  PlaceBaseline,
  type PlaceForecast,
  STANDINGS_SMOOTHING,
  standingsBefore,
  uniformForecast,
} from './baselines.ts';
import {
  type BinaryOutcome,
  brierScore,
  type Calibration,
  calibrationOf,
  logLoss,
  mean,
  type PairedDifference,
  pairedDifference,
  rankedProbabilityScore,
} from './scoring.ts';

/** The model, by what it knew of the weekend, and the simple rules. */
export const MODELS = {
  qualifying: 'model, grid and times',
  grid: 'model, grid',
  practice: 'model, practice',
  nothing: 'model, nothing',
} as const satisfies Record<WeekendKnown, string>;
export const FORECASTERS = [...Object.values(MODELS), 'grid', 'grid and gap', 'standings', 'uniform'] as const;
export type ForecasterName = (typeof FORECASTERS)[number];
/** Forecasts of pole. */
export const POLE_FORECASTERS = [MODELS.practice, MODELS.nothing, 'standings', 'uniform'] as const;
export type PoleForecasterName = (typeof POLE_FORECASTERS)[number];

/** Seasons that are summed up together. Numbers and choices were made on the first. */
export const SEASON_GROUPS = [
  [2017, 2021],
  [2022, 2023],
  [2024, 2025],
  [2026, 2026],
  [2024, 2026],
] as const;

export interface PreviewEvaluationOptions {
  readonly fromSeason: number;
  readonly toSeason: number;
  /** ISO day: races before it only teach. */
  readonly since?: string;
  readonly simulations: number;
}

/** Drivers with a chance of at least a half: how many, their mean chance, and the share that won. */
export interface Favourites {
  readonly count: number;
  readonly told: number;
  readonly won: number;
  /** Of the share that won, if the chances are right. */
  readonly standardError: number;
}

export interface PreviewScores {
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Mean over the drivers. Null: the rule forecasts the winner alone. */
  readonly placesRps: number | null;
  readonly winCalibration: Calibration;
  readonly favourites: Favourites;
}

export interface PreviewComparison {
  readonly model: ForecasterName;
  readonly baseline: ForecasterName;
  /** Model minus baseline. Negative: the model is better. */
  readonly winnerLogLoss: PairedDifference;
  readonly placesRps: PairedDifference | null;
}

export interface PoleScore {
  readonly logLoss: number;
  /** Against the standings. */
  readonly difference: PairedDifference;
  readonly favourites: Favourites;
}

/** Races that are summed up together. */
export interface PreviewSummary {
  readonly seasons: readonly number[];
  readonly races: number;
  readonly scores: Readonly<Record<ForecasterName, PreviewScores>>;
  readonly comparisons: readonly PreviewComparison[];
  readonly poles: Readonly<Record<PoleForecasterName, PoleScore>>;
}

export interface PreviewEvaluation {
  /** Null: no race was held in the seasons. */
  readonly all: PreviewSummary | null;
  readonly groups: readonly PreviewSummary[];
  readonly bySeason: readonly PreviewSummary[];
}

/** The score of one forecaster on one race. */
interface RaceScore {
  readonly logLoss: number;
  readonly brier: number;
  readonly rps: number | null;
  readonly wins: readonly BinaryOutcome[];
}

interface ScoredRace {
  readonly season: number;
  readonly scores: Readonly<Record<ForecasterName, RaceScore>>;
  readonly poles: Readonly<Record<PoleForecasterName, readonly BinaryOutcome[]>>;
}

export const COMPARED: readonly (readonly [ForecasterName, ForecasterName])[] = [
  [MODELS.qualifying, 'grid'],
  [MODELS.qualifying, 'grid and gap'],
  [MODELS.grid, 'grid'],
  [MODELS.practice, 'standings'],
  [MODELS.nothing, 'standings'],
];
/** A driver is called a favourite from this chance on. */
const FAVOURITE_MIN = 0.5;

/** `forecasterOf` makes the model of a history. */
export function evaluatePreviews(
  history: History,
  forecasterOf: (history: History) => Forecaster,
  { fromSeason, toSeason, since = '', simulations }: PreviewEvaluationOptions,
): PreviewEvaluation {
  const forecaster = forecasterOf(history);
  const unpractised = forecasterOf({
    ...history,
    weekends: history.weekends.map((weekend) => ({ ...weekend, practice: [] })),
  });
  const grid = new PlaceBaseline(GRID_SMOOTHING);
  const standings = new PlaceBaseline(STANDINGS_SMOOTHING);
  const polesByStanding = new PlaceBaseline(STANDINGS_SMOOTHING);
  const gridAndGap = new GridAndGapBaseline();
  const races: ScoredRace[] = [];
  history.weekends.forEach((weekend, index) => {
    const started = startedOf(weekend);
    if (started.length === 0) return;
    const slots = slotsOf(weekend.grid);
    const slotPlaces = started.map((driverId) => slots.get(driverId) ?? started.length);
    const places = standingsBefore(history.weekends, index);
    const placesOf = (drivers: readonly string[]) => drivers.map((driverId) => places.get(driverId) ?? places.size + 1);
    const qualified = qualifiedOf(weekend);
    const scored = weekend.season >= fromSeason && weekend.season <= toSeason && weekend.day >= since;
    if (scored && weekend.grid.length > 0 && qualified.length > 0) {
      const { eventId } = weekend;
      const ask = (known: readonly string[] | null) =>
        ({ eventId, race: 'grand_prix', grid: known, simulations, seed: index }) as const;
      const order = [...slots].sort(([, a], [, b]) => a - b).map(([driverId]) => driverId);
      const model = (by: Forecaster, known: readonly string[] | null) =>
        scoreRace(forecastOf(by.raceOutlook(ask(known)), started));
      const pole = (by: Forecaster) => scoreRace(forecastOf(by.qualifyingOutlook(ask([])), qualified)).wins;
      races.push({
        season: weekend.season,
        scores: {
          [MODELS.qualifying]: model(forecaster, null),
          [MODELS.grid]: model(unpractised, order),
          [MODELS.practice]: model(forecaster, []),
          [MODELS.nothing]: model(unpractised, []),
          grid: scoreRace(grid.forecast(slotPlaces)),
          'grid and gap': scoreRace(gridAndGap.forecast(weekend, started)),
          standings: scoreRace(standings.forecast(placesOf(started))),
          uniform: scoreRace(uniformForecast(started.length)),
        },
        poles: {
          [MODELS.practice]: pole(forecaster),
          [MODELS.nothing]: pole(unpractised),
          standings: scoreRace(polesByStanding.forecast(placesOf(qualified))).wins,
          uniform: scoreRace(uniformForecast(qualified.length)).wins,
        },
      });
    }
    grid.learn(slotPlaces);
    standings.learn(placesOf(started));
    polesByStanding.learn(placesOf(qualified));
    gridAndGap.learn(weekend, started);
  });
  const seasons = [...new Set(races.map(({ season }) => season))];
  const summed = (from: number, to: number): readonly PreviewSummary[] => {
    const among = races.filter(({ season }) => season >= from && season <= to);
    return among.length === 0 ? [] : [summaryOf(among)];
  };
  return {
    all: races.length === 0 ? null : summaryOf(races),
    groups: SEASON_GROUPS.flatMap(([from, to]) => summed(from, to)),
    bySeason: seasons.flatMap((season) => summed(season, season)),
  };
}

/** The drivers who started, in finishing order. */
function startedOf({ results }: RaceWeekend): readonly string[] {
  return results.filter((result) => hasStarted(result)).map(({ driverId }) => driverId);
}

/** The drivers with a place in qualifying, fastest first. */
function qualifiedOf({ qualifying }: RaceWeekend): readonly string[] {
  return qualifying
    .flatMap(({ driverId, classification }) =>
      classification.kind === 'classified' ? [{ driverId, position: classification.position }] : [],
    )
    .sort((a, b) => a.position - b.position)
    .map(({ driverId }) => driverId);
}

/** A driver whom the model did not expect gets a win chance of 0 and equal chances for all places. */
function forecastOf({ field: { entrants }, tally }: RaceOutlook, drivers: readonly string[]): PlaceForecast {
  const forecasts = drivers.map((driverId) => {
    const driver = entrants.findIndex((entrant) => entrant.driverId === driverId);
    if (driver === -1) return { win: 0, places: drivers.map(() => 1 / drivers.length) };
    const counts = tally.places.subarray(driver * entrants.length, (driver + 1) * entrants.length);
    const places = drivers.map((_, place) => (counts[place] ?? 0) / tally.simulations);
    return { win: places[0] ?? 0, places };
  });
  return { win: forecasts.map(({ win }) => win), places: forecasts.map(({ places }) => places) };
}

/** Drivers are in finishing order. */
function scoreRace({ win, places }: PlaceForecast): RaceScore {
  return {
    logLoss: logLoss(win[0]!),
    brier: brierScore(win, 0),
    rps: places === null ? null : mean(places.map((chances, place) => rankedProbabilityScore(chances, place))),
    wins: win.map((probability, driver) => ({ probability, happened: driver === 0 })),
  };
}

function summaryOf(races: readonly ScoredRace[]): PreviewSummary {
  const of = (name: ForecasterName, score: 'logLoss' | 'brier' | 'rps'): readonly number[] =>
    races.flatMap(({ scores }) => scores[name][score] ?? []);
  const paired = (model: ForecasterName, baseline: ForecasterName, score: 'logLoss' | 'rps'): PairedDifference =>
    pairedDifference(of(model, score), of(baseline, score));
  const poleLosses = (name: PoleForecasterName) => races.map(({ poles }) => logLoss(poles[name][0]!.probability));
  return {
    seasons: [...new Set(races.map(({ season }) => season))],
    races: races.length,
    scores: byName(FORECASTERS, (name) => {
      const wins = races.flatMap(({ scores }) => scores[name].wins);
      const rps = of(name, 'rps');
      return {
        winnerLogLoss: mean(of(name, 'logLoss')),
        winnerBrier: mean(of(name, 'brier')),
        placesRps: rps.length === 0 ? null : mean(rps),
        winCalibration: calibrationOf(wins),
        favourites: favouritesOf(wins),
      };
    }),
    comparisons: COMPARED.map(([model, baseline]) => ({
      model,
      baseline,
      winnerLogLoss: paired(model, baseline, 'logLoss'),
      placesRps: of(baseline, 'rps').length === 0 ? null : paired(model, baseline, 'rps'),
    })),
    poles: byName(POLE_FORECASTERS, (name) => ({
      logLoss: mean(poleLosses(name)),
      difference: pairedDifference(poleLosses(name), poleLosses('standings')),
      favourites: favouritesOf(races.flatMap(({ poles }) => poles[name])),
    })),
  };
}

function favouritesOf(outcomes: readonly BinaryOutcome[]): Favourites {
  const favourites = outcomes.filter(({ probability }) => probability >= FAVOURITE_MIN);
  const count = favourites.length;
  const variance = favourites.reduce((sum, { probability }) => sum + probability * (1 - probability), 0);
  return {
    count,
    told: favourites.reduce((sum, { probability }) => sum + probability, 0) / Math.max(1, count),
    won: favourites.filter(({ happened }) => happened).length / Math.max(1, count),
    standardError: Math.sqrt(variance) / Math.max(1, count),
  };
}

function byName<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}
