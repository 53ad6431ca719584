// The measured quality of forecasts, sent along with each one so customers can judge it. The figures are those of
// `npm run bench -- models`, at each stage of knowledge of a weekend. A test compares them with it, so they cannot fall
// behind the models, and writes them: WRITE_QUALITY=1 node --test test/bench/models.test.ts
//
// Forecasts and simple rules know the drivers entered for the round. If the history does not list a round's drivers
// yet, forecasts expect those of the latest race, and a driver who returns for the round has no chance.

import measured from './coefficients/previews-measured.json' with { type: 'json' };
import type { WeekendKnown } from './forecast.ts';

/** Must change whenever the forecast of an unchanged question changes. */
export const FORECAST_MODEL_VERSION = 'preview-2';

/** A description for customers. */
export const FORECAST_METHOD =
  'Drivers and teams are rated by how they qualified and finished since 2014: recent weekends count most, a winter draws the ' +
  'ratings together, and new rules do so even more. Ratings, this weekend’s practice, sprint and qualifying times, and the grid, as ' +
  'far as they are known, give the chances of each place; the race is then played thousands of times, with retirements as ' +
  'frequent as those of driver, team and circuit, and with safety cars. How sure the chances may be is learnt from how ' +
  'likely past winners were. Titles come from playing the rest of the season the same way. Nothing of the race itself goes in; who is entered ' +
  'is taken from the history, or from the latest race where it does not say. All chances are estimates.';

/** Means over races; lower is better. */
export interface MeasuredQuality {
  readonly seasons: readonly number[];
  readonly races: number;
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Ranked probability score over the places of all drivers. */
  readonly placesRps: number;
  /** Expected calibration error: the distance between win chances and the share of wins. */
  readonly calibrationError: number;
  /** Drivers with a chance of a half and more. `standardError` is that of `won`, if the chances are right. */
  readonly favourites: {
    readonly count: number;
    readonly told: number;
    readonly won: number;
    readonly standardError: number;
  };
  /** Simple rules on the same races. `difference` is the model's log-loss minus theirs, averaged race by race. */
  readonly baselines: readonly {
    readonly name: 'grid' | 'grid_and_gap' | 'standings';
    readonly winnerLogLoss: number;
    readonly difference: number;
    readonly standardError: number;
  }[];
}

export interface MeasuredStage {
  /** The races of all seasons; those of one season may be far better or worse. */
  readonly all: MeasuredQuality;
  readonly bySeason: readonly MeasuredQuality[];
}

/** Each race was forecast from what came before it. No setting was chosen on these seasons. */
export const MEASURED_SEASONS = { from: 2022, to: 2026 } as const;
export const MEASURED_SIMULATIONS = 10_000;

export const MEASURED = measured as Readonly<Record<WeekendKnown, MeasuredStage>>;
