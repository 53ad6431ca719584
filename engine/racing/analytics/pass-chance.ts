// The chance that a car passes the one ahead: a logit of the gap, how it changed, tires, how far the race is, and the
// circuit. Its numbers are fitted (bench/fit/battle-fit.ts), for one, three and five laps.

import battle from './coefficients/battle.json' with { type: 'json' };
import { Z90 } from './normal-distribution.ts';

export interface Pursuit {
  /** Gaps at the starts of the latest laps behind the same car, at least one, the present one last. */
  readonly gapsSeconds: readonly number[];
  /** By how much the latest lap of the car behind was faster. Null: not both laps show the car's pace. */
  readonly latestLapGainSeconds: number | null;
  /** Tire age of the car behind minus that of the car ahead. Null: not known. */
  readonly tireAgeDifferenceLaps: number | null;
  readonly compoundAhead: string | null;
  readonly compoundBehind: string | null;
  /** The leader's current lap, and the planned laps. Null: not known. */
  readonly lap: number;
  readonly totalLaps: number | null;
}

/** A chance with its 80 % interval. */
export interface Chance {
  readonly probability: number;
  readonly lower: number;
  readonly upper: number;
}

export interface PassHorizon {
  readonly laps: number;
  /** In the order of passFeatures. */
  readonly weights: readonly number[];
  /** How far circuits differ, in logits: the deviation of one that is not in the list. */
  readonly circuitDeviation: number;
  /** By name of the event: effect in logits, and its deviation. */
  readonly circuits: Readonly<Record<string, readonly number[]>>;
}

const HORIZONS: readonly PassHorizon[] = battle.values.horizons;

/** Hardness of dry compounds. Others are for rain. */
const HARDNESS: Readonly<Record<string, number>> = {
  HYPERSOFT: 0,
  ULTRASOFT: 0.5,
  SUPERSOFT: 1,
  SOFT: 0,
  MEDIUM: 1,
  HARD: 2,
};
/** Larger changes come from mistakes and count as this much. */
const CLOSING_SECONDS_MAX = 2;
/** The same for a car that has just arrived behind the other. */
const ARRIVING_SECONDS_MAX = 4;
const AGE_DIFFERENCE_LAPS_MAX = 25;
/** DRS is not used on the first laps, and the field is close. */
const FIRST_LAPS = 3;
const EARLY_LAPS = 6;
const RAIN_TIRES: ReadonlySet<string | null> = new Set(['INTERMEDIATE', 'WET']);

export function passFeatures(pursuit: Pursuit): number[] {
  const { gapsSeconds, latestLapGainSeconds, tireAgeDifferenceLaps, compoundAhead, compoundBehind, lap, totalLaps } =
    pursuit;
  const gap = gapsSeconds.at(-1)!;
  const span = gapsSeconds.length - 1;
  const change = span === 0 ? 0 : limited((gapsSeconds[0]! - gap) / span, CLOSING_SECONDS_MAX);
  const latest = span === 0 ? 0 : limited(gapsSeconds.at(-2)! - gap, CLOSING_SECONDS_MAX);
  const arriving = span === 0 ? limited(latestLapGainSeconds ?? 0, ARRIVING_SECONDS_MAX) : 0;
  const harder = (HARDNESS[compoundBehind ?? ''] ?? NaN) - (HARDNESS[compoundAhead ?? ''] ?? NaN);
  return [
    1,
    gap,
    Math.log(Math.max(0, gap) + 0.1),
    span === 0 ? 1 : 0,
    (change * span) / (span + 1),
    latest,
    arriving,
    limited(tireAgeDifferenceLaps ?? 0, AGE_DIFFERENCE_LAPS_MAX) / 10,
    Number.isNaN(harder) ? 0 : harder,
    lap <= FIRST_LAPS ? 1 : 0,
    lap <= EARLY_LAPS ? 1 : 0,
    totalLaps === null ? 0.5 : Math.min(1, lap / totalLaps),
    RAIN_TIRES.has(compoundAhead) || RAIN_TIRES.has(compoundBehind) ? 1 : 0,
  ];
}

function limited(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

/** Place of the weight of the closing speed in passFeatures. */
const CLOSING = 4;

/**
 * The chances within each of these numbers of laps. `event`: its name; null: not known. `closingDeviation`: how sure the
 * closing speed is, in seconds a lap.
 */
export function passChances(
  pursuit: Pursuit,
  event: string | null,
  closingDeviation: number,
  laps: readonly number[],
): Chance[] {
  const features = passFeatures(pursuit);
  const span = pursuit.gapsSeconds.length - 1;
  const logits = HORIZONS.map(({ weights, circuits, circuitDeviation }) => {
    const [effect, deviation] = circuits[event ?? ''] ?? [0, circuitDeviation];
    const speed = (weights[CLOSING]! * closingDeviation * span) / (span + 1);
    const logit = features.reduce((sum, value, index) => sum + value * weights[index]!, effect!);
    return { logit, spread: Z90 * Math.hypot(deviation!, speed) };
  });
  const curve = (side: number): number[] => {
    let most = 0;
    return logits.map(({ logit, spread }) => {
      most = Math.max(most, 1 / (1 + Math.exp(-logit - side * spread)));
      return most;
    });
  };
  const [middle, low, high] = [curve(0), curve(-1), curve(1)];
  return laps.map((count) => ({
    probability: chanceWithin(middle!, count),
    lower: chanceWithin(low!, count),
    upper: chanceWithin(high!, count),
  }));
}

/** Between the fitted numbers of laps, each lap has the same chance of a pass. */
function chanceWithin(chances: readonly number[], laps: number): number {
  let [from, sofar] = [0, 0];
  for (const [index, { laps: to }] of HORIZONS.entries()) {
    const hazard = -Math.log1p(-chances[index]!);
    if (laps <= to) {
      const part = Math.max(0, laps - from) / (to - from);
      return laps === to ? chances[index]! : 1 - Math.exp(-(sofar + (hazard - sofar) * part));
    }
    [from, sofar] = [to, hazard];
  }
  return chances.at(-1)!;
}
