// How good forecasts are, so that whoever gets one sees by what it was made and how far to trust it. The figures are those of
// `npm run bench -- models`; a test holds them against it, so that no change of the models leaves them behind.
//
// They hold for what is known at the time they are named after: with the grid as it was at the start, and before qualifying
// with the drivers who are entered, whom the baselines are told as well. A history that names nobody for the round yet lets
// those of the latest race be expected instead, and whoever comes back for a race has no chance then: in one of the 92 races
// he won (Australia 2024), which alone makes the log-loss before qualifying 1.561. The result of qualifying, before penalties,
// is no worse than the grid: 1.121.

/** Changes whenever forecasts of the same question change. */
export const FORECAST_MODEL_VERSION = 'preview-1';

/** For customers. */
export const FORECAST_METHOD =
  'Drivers and teams are rated by how they qualified and finished since 2014: recent weekends count most, a winter draws the ' +
  'ratings together, and new rules do so even more. Ratings, and the grid once it is known, give the chances of each place; ' +
  'the race is then played thousands of times, with retirements as frequent as those of driver, team and circuit, and with ' +
  'safety cars. Titles come from playing the rest of the season the same way. Only what was known before the weekend, and ' +
  'its grid, goes in; who is entered is taken from the history, or from the latest race where it does not say. All chances are ' +
  'estimates.';

export interface MeasuredQuality {
  /** Mean over races; lower is better in all four. */
  readonly winnerLogLoss: number;
  readonly winnerBrier: number;
  /** Ranked probability score of the places of all drivers. */
  readonly placesRps: number;
  /** How far chances to win and the share of wins are apart (expected calibration error). */
  readonly calibrationError: number;
  /** What simple forecasters reach on the same races; difference: the model's log-loss less theirs, race by race. */
  readonly baselines: readonly {
    readonly name: 'grid' | 'standings' | 'uniform';
    readonly winnerLogLoss: number;
    readonly difference: number;
    readonly standardError: number;
  }[];
}

/** The seasons that were forecast race by race, each from what came before it. No number of the models was chosen on them. */
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
