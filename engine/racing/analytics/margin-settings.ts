// The fitted numbers of the winning margin (bench/fit/margin-fit.ts).

import margin from './coefficients/margin.json' with { type: 'json' };

/** A number at the end of a race, and what is added to it per full race to come. */
type ByDistance = readonly [atEnd: number, perRace: number];

export interface MarginSettings {
  /** What past races say: the logarithm of a second and the margin is normal, its mean a line of that of the gap now. */
  readonly level: ByDistance;
  readonly slope: ByDistance;
  /** Its deviation: at the end, and times the root of the distance to come. */
  readonly scatter: ByDistance;
  /** How much past races count: `pastShare` times the distance to come, to a power; at most all. */
  readonly pastShare: number;
  readonly pastPower: number;
  /** The part of the odds' cost of passing that a car that never passes does not lose. */
  readonly passPart: number;
}

export const MARGIN_SETTINGS: MarginSettings = margin.values as unknown as MarginSettings;
