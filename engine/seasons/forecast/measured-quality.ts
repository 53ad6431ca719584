// The measured quality of forecasts, sent along with each one so customers can judge it. The figures come from
// `npm run bench -- models`. A test compares them with it, so they cannot fall behind the models.
//
// MEASURED_WITH_GRID uses the actual starting grid. MEASURED_BEFORE_QUALIFYING uses the drivers entered for the round,
// and so do its baselines. If the history does not list a round's drivers yet, forecasts expect those of the latest
// race, and a driver who returns for the round has no chance. In one of the 92 races such a driver won (Australia
// 2024), which alone raises the log-loss before qualifying to 1.561. The qualifying result, before penalties, does no
// worse than the grid: 1.121.

/** Must change whenever the forecast of an unchanged question changes. */
export const FORECAST_MODEL_VERSION = 'preview-1';

/** A description for customers. */
export const FORECAST_METHOD =
  'Drivers and teams are rated by how they qualified and finished since 2014: recent weekends count most, a winter draws the ' +
  'ratings together, and new rules do so even more. Ratings, and the grid once it is known, give the chances of each place; ' +
  'the race is then played thousands of times, with retirements as frequent as those of driver, team and circuit, and with ' +
  'safety cars. Titles come from playing the rest of the season the same way. Only what was known before the weekend, and ' +
  'its grid, goes in; who is entered is taken from the history, or from the latest race where it does not say. All chances are ' +
  'estimates.';

export interface MeasuredQuality {
  /** All four figures are means over races; lower is better. */
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Ranked probability score over the places of all drivers. */
  readonly placesRps: number;
  /** Expected calibration error: the distance between win chances and the share of wins. */
  readonly calibrationError: number;
  /** Simple forecasters on the same races. `difference` is the model's log-loss minus theirs, averaged race by race. */
  readonly baselines: readonly {
    readonly name: 'grid' | 'standings' | 'uniform';
    readonly winnerLogLoss: number;
    readonly difference: number;
    readonly standardError: number;
  }[];
}

/** The test seasons. Each race was forecast from what came before it. No model setting was chosen on these seasons. */
export const MEASURED_SEASONS: readonly number[] = [2022, 2023, 2024, 2025];
export const MEASURED_RACES = 92;
export const MEASURED_SIMULATIONS = 10_000;

export const MEASURED_WITH_GRID: MeasuredQuality = {
  winnerLogLoss: 1.143,
  winnerBrier: 0.544,
  placesRps: 0.1135,
  calibrationError: 0.0157,
  baselines: [
    { name: 'grid', winnerLogLoss: 1.509, difference: -0.365, standardError: 0.112 },
    { name: 'standings', winnerLogLoss: 1.625, difference: -0.482, standardError: 0.09 },
    { name: 'uniform', winnerLogLoss: 2.988, difference: -1.845, standardError: 0.081 },
  ],
};

export const MEASURED_BEFORE_QUALIFYING: MeasuredQuality = {
  winnerLogLoss: 1.468,
  winnerBrier: 0.635,
  placesRps: 0.1262,
  calibrationError: 0.0148,
  baselines: [
    { name: 'standings', winnerLogLoss: 1.625, difference: -0.157, standardError: 0.053 },
    { name: 'uniform', winnerLogLoss: 2.988, difference: -1.52, standardError: 0.091 },
  ],
};
