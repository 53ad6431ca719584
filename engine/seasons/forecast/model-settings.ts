// The fixed settings of the models: every number that is not fitted from one race weekend to the next.
//
// They were tuned on the races of 2017 to 2021, each forecast from what came before it (learning began with 2014), and
// have not changed since. The evaluation of later seasons is therefore out of sample. Two random searches, scored by
// the likelihood of winners, poles and orders, ended far apart and equally good. The rounded midpoint of both is as
// good as either and is used here.
//
// Two exceptions. The settings for a winter with new rules were set by hand, below those of an ordinary winter, because
// the tuning years contain only one. The two retirement settings maximise the likelihood of the retirements in the
// tuning years. The values that suited winners best separated drivers who hardly differ, and predicted retirements
// worse than a single rate.

/** How fast strengths change, in the unit of the observations. */
export interface RatingSettings {
  /** Standard deviations of the strength of a driver and of a constructor without any result. */
  readonly driverSpread: number;
  readonly constructorSpread: number;
  /** Initial strength of a driver without any result, relative to the mean of the field. */
  readonly rookieMean: number;
  /** The same for a team new to the sport. Not tuned: the tuning years had none. */
  readonly newTeamMean: number;
  /** Standard deviations of the change between weekends. */
  readonly driverDrift: number;
  readonly constructorDrift: number;
  /** The fraction of a difference that lasts over the winter, and the deviation that the winter adds. */
  readonly driverWinter: { readonly kept: number; readonly spread: number };
  readonly constructorWinter: { readonly kept: number; readonly spread: number };
  /** The same in years of new technical rules. */
  readonly newRules: { readonly kept: number; readonly spread: number };
  /** Standard deviation of one observation around the strength. */
  readonly noise: number;
  /** Surprises are clamped to this many standard deviations: a crash says little about strength. */
  readonly surpriseMax: number;
}

/** Settings for fitting finishing orders. */
export interface RankingSettings {
  /** Each place weighs this many times the place before it. */
  readonly placeWeight: number;
  /** Weight of the prior on the coefficients, in races. */
  readonly ridge: number;
}

export interface ModelSettings {
  /** Unit: percent of the fastest time. Higher is slower. */
  readonly qualifying: RatingSettings;
  /** Unit: negative logarithm of the place. Higher is better. */
  readonly race: RatingSettings;
  readonly ranking: RankingSettings;
  /** How much each neutralisation evens out the chances. */
  readonly neutralisationNoise: number;
  /** Weight of the common retirement rate, in starts, against the own rates of drivers, constructors and circuits. */
  readonly retirementPrior: number;
  /** Weight of each season relative to the next one, for retirements. */
  readonly retirementSeasonWeight: number;
  /** Weight of the rate of all circuits, in races, against a circuit's own. */
  readonly circuitPrior: number;
}

export const MODEL_SETTINGS: ModelSettings = {
  qualifying: {
    driverSpread: 0.15,
    constructorSpread: 0.74,
    rookieMean: 0.23,
    driverDrift: 0.016,
    constructorDrift: 0.14,
    driverWinter: { kept: 0.95, spread: 0.09 },
    constructorWinter: { kept: 0.75, spread: 0.35 },
    newRules: { kept: 0.6, spread: 0.5 },
    noise: 0.2,
    surpriseMax: 1,
    newTeamMean: 0.8,
  },
  race: {
    driverSpread: 0.33,
    constructorSpread: 0.91,
    rookieMean: -0.34,
    driverDrift: 0.024,
    constructorDrift: 0.054,
    driverWinter: { kept: 1, spread: 0.14 },
    constructorWinter: { kept: 0.75, spread: 0.2 },
    newRules: { kept: 0.6, spread: 0.45 },
    noise: 1,
    surpriseMax: 1,
    newTeamMean: -0.4,
  },
  ranking: { placeWeight: 0.63, ridge: 1.8 },
  neutralisationNoise: 0.013,
  retirementPrior: 100,
  retirementSeasonWeight: 0.5,
  circuitPrior: 5.5,
};
