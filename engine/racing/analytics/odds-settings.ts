// The fitted numbers of the race odds (bench/fit/odds-fit.ts).

import odds from './coefficients/odds.json' with { type: 'json' };

/** A number at the start of a race, and at its end. */
type OverRace = readonly [start: number, end: number];

export interface OddsSettings {
  /** Prior of a car's pace: seconds per lap from one place on the road to the next, and the deviation around it. */
  readonly placeSeconds: OverRace;
  readonly placeDeviation: OverRace;
  /** Seconds per lap that a unit of strength before the race is worth. */
  readonly strengthSeconds: OverRace;
  /** How much a measured pace counts: the factor of its precision. */
  readonly measuredShare: number;
  /** Deviation of a car's relative pace over the rest of a race, as tires and track change. */
  readonly paceChangeSeconds: number;
  /** The time that each car ahead costs that would have to be passed on the track, at an average circuit. */
  readonly passSeconds: number;
  /** How much less it costs where passes are easier: the logarithm of its factor, for each logit. */
  readonly passEase: number;
  /** Cost of a stop under green, against staying out, at an average circuit. */
  readonly stopSeconds: number;
  /** Retirements per car over a full race after the first lap. */
  readonly retirementsPerRace: number;
  /** How much the cars differ in that: the power of what the history says of each. */
  readonly retirementPower: number;
}

export const ODDS_SETTINGS: OddsSettings = odds.values as unknown as OddsSettings;
