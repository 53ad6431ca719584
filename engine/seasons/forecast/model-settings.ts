// Every number of the models that is not fitted from one race weekend to the next. They were chosen on the races of 2017 to
// 2021, each forecast from what came before it (learning began with 2014), and left alone since: what the evaluation of later
// seasons says is about races that no number was chosen on. Two random searches for likely winners, poles and orders ended far
// apart and equally well; the middle of both, rounded, is as good as either and stands here. What a winter into new rules keeps
// was set by hand, below an ordinary winter's: the choosing years have only one. The two numbers of retirements are the likeliest
// for who retired in the choosing years: those that were likeliest for winners told apart who hardly differs, and said less of
// retirements than one rate for all.

/** How fast strengths are believed to change; in the unit of what is observed. */
export interface RatingSettings {
  /** Standard deviations of what is not known of a driver and of a constructor that were never seen. */
  readonly driverSpread: number;
  readonly constructorSpread: number;
  /** Where somebody without any result begins, against the mean of the field. */
  readonly rookieMean: number;
  /** The same of a team that is new in the sport. Not chosen: the choosing years had none. */
  readonly newTeamMean: number;
  /** Standard deviations of the change from one weekend to the next. */
  readonly driverDrift: number;
  readonly constructorDrift: number;
  /** The part of a difference that is believed to last over the winter, and what the winter adds to the unknown. */
  readonly driverWinter: { readonly kept: number; readonly spread: number };
  readonly constructorWinter: { readonly kept: number; readonly spread: number };
  /** The same in years of new technical rules. */
  readonly newRules: { readonly kept: number; readonly spread: number };
  /** Standard deviation of a single observation around the strength. */
  readonly noise: number;
  /** Surprises count up to so many standard deviations: a crash says little about strength. */
  readonly surpriseMax: number;
}

/** Of the order in which a session ends. */
export interface RankingSettings {
  /** Each place counts so much less than the one before it. */
  readonly placeWeight: number;
  /** How firmly the coefficients are held at where they begin, in races. */
  readonly ridge: number;
}

export interface ModelSettings {
  /** In percent of the fastest time, slower is more. */
  readonly qualifying: RatingSettings;
  /** In logarithms of the place, further ahead is more. */
  readonly race: RatingSettings;
  readonly ranking: RankingSettings;
  /** How much one more neutralisation evens out the chances. */
  readonly neutralisationNoise: number;
  /** Starts that a rate of its own must outweigh: of drivers, constructors and circuits. */
  readonly retirementPrior: number;
  /** What a season before counts for retirements. */
  readonly retirementSeasonWeight: number;
  /** Races of all circuits that count beside a circuit's own. */
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
