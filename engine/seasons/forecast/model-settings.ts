// The settings of the models: every number that is not learnt from one race weekend to the next. `npm run fit -- previews`
// finds them on the seasons up to 2021, each race forecast from what came before it (bench/fit/previews.ts). The
// evaluation of later seasons is therefore out of sample. Assumptions, for which those seasons show too little, stand
// here: ASSUMED.

import previews from './coefficients/previews.json' with { type: 'json' };

/** How fast strengths change, in the unit of the observations. */
export interface RatingSettings {
  /** Standard deviations of the strength of a driver and of a constructor without any result. */
  readonly driverSpread: number;
  readonly constructorSpread: number;
  /** Initial strength of a driver without any result, relative to the mean of the field. */
  readonly rookieMean: number;
  /** The same for a team new to the sport. An assumption. */
  readonly newTeamMean: number;
  /** Standard deviations of the change between weekends. */
  readonly driverDrift: number;
  readonly constructorDrift: number;
  /** The fraction of a difference that lasts over the winter, and the deviation that the winter adds. */
  readonly driverWinter: { readonly kept: number; readonly spread: number };
  readonly constructorWinter: { readonly kept: number; readonly spread: number };
  /** The same in years of new technical rules. An assumption. */
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
  /** An order counts half after so many weekends. */
  readonly halfLife: number;
}

/** How the model learns from its own forecasts how sure it may be. */
export interface TemperatureSettings {
  /** A forecast counts half after so many weekends. */
  readonly halfLife: number;
  /** Weight of the prior, that forecasts are as sure as they should be. */
  readonly prior: number;
}

/** A share of retirements: its weight against the rate of all, in starts, and how fast it is forgotten, in weekends. */
export interface RetirementRate {
  readonly prior: number;
  readonly halfLife: number;
}

export interface RetirementSettings {
  /** The half-life of the rate of all. */
  readonly halfLife: number;
  readonly driver: RetirementRate;
  readonly team: RetirementRate;
  readonly circuit: RetirementRate;
}

/** Prior weights of the features (knowledge.ts), without and with practice. */
export interface WeightPriors {
  readonly rated: readonly number[];
  readonly practised: readonly number[];
}

export interface ModelSettings {
  /** Unit: percent of the fastest time. Higher is slower. */
  readonly qualifying: RatingSettings;
  /** Unit: negative logarithm of the place. Higher is better. */
  readonly race: RatingSettings;
  readonly ranking: RankingSettings;
  readonly temperature: TemperatureSettings;
  readonly weightPriors: {
    readonly qualifying: WeightPriors;
    readonly withoutGrid: WeightPriors;
    readonly gridAlone: WeightPriors;
    readonly withGrid: WeightPriors;
  };
  /** Gaps in practice are clamped to this many percent. */
  readonly practiceGapMax: number;
  /** How much each neutralisation evens out the chances. */
  readonly neutralisationNoise: number;
  readonly retirements: RetirementSettings;
  /** Weight of the rate of all circuits, in races, against a circuit's own. */
  readonly circuitPrior: number;
}

/**
 * Winters with new technical rules keep less than ordinary ones: the fitted seasons have only one. Teams new to the
 * sport are slower than the mean: those seasons have one, and it bought much of its car.
 */
export const ASSUMED = {
  qualifying: { newRules: { kept: 0.6, spread: 0.5 }, newTeamMean: 0.8 },
  race: { newRules: { kept: 0.6, spread: 0.45 }, newTeamMean: -0.4 },
} as const;

const { qualifying, race, ...fitted } = previews.values;

export const MODEL_SETTINGS: ModelSettings = {
  ...fitted,
  qualifying: { ...qualifying, ...ASSUMED.qualifying },
  race: { ...race, ...ASSUMED.race },
};
