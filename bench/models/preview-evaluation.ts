// Evaluates previews by rolling origin: each race is forecast from what came before it and then compared with its
// result, once with the grid and once before qualifying, next to simple baselines. All forecasters know the entered
// drivers. The baselines even know who started, which no real forecast can.

import type { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { slotsOf } from '#engine/seasons/forecast/grid-effect.ts';
import { hasStarted } from '#engine/seasons/forecast/race-start.ts';
import type { History, RaceWeekend } from '#engine/seasons/history/history.ts';
import {
  GRID_SMOOTHING,
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

export const FORECASTERS = ['model with grid', 'model before qualifying', 'grid', 'standings', 'uniform'] as const;
export type ForecasterName = (typeof FORECASTERS)[number];

export interface PreviewEvaluationOptions {
  readonly fromSeason: number;
  readonly toSeason: number;
  readonly simulations: number;
}

export interface PreviewScores {
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Mean over the drivers. */
  readonly placesRps: number;
  readonly winCalibration: Calibration;
}

export interface PreviewComparison {
  readonly model: ForecasterName;
  readonly baseline: ForecasterName;
  /** Model minus baseline. Negative: the model is better. */
  readonly winnerLogLoss: PairedDifference;
  readonly winnerBrier: PairedDifference;
  readonly placesRps: PairedDifference;
}

export interface PreviewEvaluation {
  readonly seasons: readonly number[];
  readonly races: number;
  readonly scores: Readonly<Record<ForecasterName, PreviewScores>>;
  readonly comparisons: readonly PreviewComparison[];
  readonly bySeason: readonly {
    readonly season: number;
    readonly races: number;
    readonly winnerLogLoss: Readonly<Record<ForecasterName, number>>;
  }[];
}

/** The score of one forecaster on one race. */
interface RaceScore {
  readonly logLoss: number;
  readonly brier: number;
  readonly rps: number;
  readonly wins: readonly BinaryOutcome[];
}

interface ScoredRace {
  readonly season: number;
  readonly scores: Readonly<Record<ForecasterName, RaceScore>>;
}

const COMPARED: readonly (readonly [ForecasterName, ForecasterName])[] = [
  ['model with grid', 'grid'],
  ['model with grid', 'standings'],
  ['model with grid', 'uniform'],
  ['model before qualifying', 'standings'],
  ['model before qualifying', 'uniform'],
];

export function evaluatePreviews(
  history: History,
  forecaster: Forecaster,
  { fromSeason, toSeason, simulations }: PreviewEvaluationOptions,
): PreviewEvaluation {
  const grid = new PlaceBaseline(GRID_SMOOTHING);
  const standings = new PlaceBaseline(STANDINGS_SMOOTHING);
  const races: ScoredRace[] = [];
  history.weekends.forEach((weekend, index) => {
    const started = startedOf(weekend);
    if (started.length === 0) return;
    const slots = slotsOf(weekend.grid);
    const slotPlaces = started.map((driverId) => slots.get(driverId) ?? started.length);
    const places = standingsBefore(history.weekends, index);
    const standingsPlaces = started.map((driverId) => places.get(driverId) ?? places.size + 1);
    if (weekend.season >= fromSeason && weekend.season <= toSeason) {
      const model = (given: readonly string[] | null): PlaceForecast =>
        modelForecast(forecaster, weekend, index, given, simulations, started);
      races.push({
        season: weekend.season,
        scores: {
          'model with grid': scoreRace(model(null)),
          'model before qualifying': scoreRace(model([])),
          grid: scoreRace(grid.forecast(slotPlaces)),
          standings: scoreRace(standings.forecast(standingsPlaces)),
          uniform: scoreRace(uniformForecast(started.length)),
        },
      });
    }
    grid.learn(slotPlaces);
    standings.learn(standingsPlaces);
  });
  return summarise(races);
}

/** The drivers who started, in finishing order. */
function startedOf({ results }: RaceWeekend): readonly string[] {
  return results.filter((result) => hasStarted(result)).map(({ driverId }) => driverId);
}

/** A driver whom the model did not expect gets a win chance of 0 and equal chances for all places. */
function modelForecast(
  forecaster: Forecaster,
  { eventId }: RaceWeekend,
  seed: number,
  grid: readonly string[] | null,
  simulations: number,
  started: readonly string[],
): PlaceForecast {
  const { field, tally } = forecaster.raceOutlook({ eventId, race: 'grand_prix', grid, simulations, seed });
  const { entrants } = field;
  const forecasts = started.map((driverId) => {
    const driver = entrants.findIndex((entrant) => entrant.driverId === driverId);
    if (driver === -1) return { win: 0, places: started.map(() => 1 / started.length) };
    const counts = tally.places.subarray(driver * entrants.length, (driver + 1) * entrants.length);
    const places = started.map((_, place) => (counts[place] ?? 0) / simulations);
    return { win: places[0] ?? 0, places };
  });
  return { win: forecasts.map(({ win }) => win), places: forecasts.map(({ places }) => places) };
}

/** Drivers are in finishing order. */
function scoreRace({ win, places }: PlaceForecast): RaceScore {
  return {
    logLoss: logLoss(win[0]!),
    brier: brierScore(win, 0),
    rps: mean(places.map((chances, place) => rankedProbabilityScore(chances, place))),
    wins: win.map((probability, driver) => ({ probability, happened: driver === 0 })),
  };
}

function summarise(races: readonly ScoredRace[]): PreviewEvaluation {
  const of = (name: ForecasterName, score: 'logLoss' | 'brier' | 'rps', among = races): readonly number[] =>
    among.map(({ scores }) => scores[name][score]);
  const seasons = [...new Set(races.map(({ season }) => season))];
  return {
    seasons,
    races: races.length,
    scores: byForecaster((name) => ({
      winnerLogLoss: mean(of(name, 'logLoss')),
      winnerBrier: mean(of(name, 'brier')),
      placesRps: mean(of(name, 'rps')),
      winCalibration: calibrationOf(races.flatMap(({ scores }) => scores[name].wins)),
    })),
    comparisons: COMPARED.map(([model, baseline]) => {
      const paired = (score: 'logLoss' | 'brier' | 'rps'): PairedDifference =>
        pairedDifference(of(model, score), of(baseline, score));
      return {
        model,
        baseline,
        winnerLogLoss: paired('logLoss'),
        winnerBrier: paired('brier'),
        placesRps: paired('rps'),
      };
    }),
    bySeason: seasons.map((season) => {
      const own = races.filter((race) => race.season === season);
      return { season, races: own.length, winnerLogLoss: byForecaster((name) => mean(of(name, 'logLoss', own))) };
    }),
  };
}

function byForecaster<Value>(scoreOf: (name: ForecasterName) => Value): Readonly<Record<ForecasterName, Value>> {
  return Object.fromEntries(FORECASTERS.map((name) => [name, scoreOf(name)])) as Record<ForecasterName, Value>;
}
