// Tire life: how many laps teams run a set of tires. Timing data does not show when tires are finished, so the model
// follows what teams do: a prior for each compound, as a fraction of a full race, scaled for all compounds alike by the
// stints of this race. A stint that ended with a stop under green gives its length. A stint that is still running, or
// that ended by a safety car, an incident or a retirement, only gives a lower bound (it is censored). Without those,
// the earliest stops would stand for the whole field.

import { normalBelow, normalDensity } from './normal-distribution.ts';
import type { Car, PitVisit } from './race-car.ts';
import { type RacePicture, SPRINTS_PER_RACE, tireAgeOf } from './race-picture.ts';

export interface TireLife {
  readonly laps: number;
  /** Standard deviation of stint lengths. */
  readonly deviationLaps: number;
}

/**
 * Tire life as a fraction of a full race. Soft tires wear out before hard ones; the figures themselves are assumptions.
 */
const PARTS: Readonly<Record<string, number>> = {
  HYPERSOFT: 0.35,
  ULTRASOFT: 0.4,
  SUPERSOFT: 0.5,
  SOFT: 0.45,
  MEDIUM: 0.55,
  HARD: 0.65,
  INTERMEDIATE: 0.5,
  WET: 0.5,
};
const UNKNOWN_PART = 0.5;
/** Deviation of stint lengths, as a fraction of the length. */
const SCATTER = 0.25;
/** In logarithms: deviation of a race from the prior, and of a stint from its race. */
const RACE_DEVIATION = 0.25;
const STINT_DEVIATION = 0.35;
/** A stint shorter than this fraction of the prior did not end because of its tires. */
const EARLY = 0.4;
/** Rounds of Newton's method. The likelihood is concave, so these are plenty. */
const ROUNDS = 6;
/** Beyond this many deviations the table of the normal distribution is too coarse. */
const TAIL = 4;

export class TireLives {
  readonly #fullLaps: number;
  readonly #scale: number;
  /** Stints of this race that ended when their tires did. */
  readonly stints: number;

  /** Uses the stints up to now. `totalLaps`: the planned laps of this race or sprint. */
  constructor(picture: RacePicture, totalLaps: number) {
    this.#fullLaps = picture.isSprint ? totalLaps * SPRINTS_PER_RACE : totalLaps;
    // Logarithms of stint lengths relative to the prior.
    const ended: number[] = [];
    const longer: number[] = [];
    for (const car of picture.cars()) {
      for (const { compound, tireAge, status } of endsOf(car)) {
        const part = (tireAge ?? 0) / (partOf(compound) * this.#fullLaps);
        if (part > 0) (status === 'green' && part > EARLY ? ended : longer).push(Math.log(part));
      }
      const part = (tireAgeOf(car) ?? 0) / (partOf(car.stints.at(-1)?.compound ?? null) * this.#fullLaps);
      if (part > 0) longer.push(Math.log(part));
    }
    this.stints = ended.length;
    this.#scale = Math.exp(likeliestShift(ended, longer));
  }

  life(compound: string | null): TireLife {
    const laps = partOf(compound) * this.#fullLaps * this.#scale;
    return { laps, deviationLaps: SCATTER * laps };
  }
}

/**
 * The ends of a car's stints. A stop before the recording began shows only in the tires and counts as one under green.
 */
function endsOf({ visits, stints }: Car): readonly Omit<PitVisit, 'inLap'>[] {
  const unseen = stints.slice(0, Math.max(0, stints.length - 1 - visits.length));
  return [...unseen.map((stint) => ({ ...stint, status: 'green' as const })), ...visits];
}

function partOf(compound: string | null): number {
  return compound !== null && Object.hasOwn(PARTS, compound) ? PARTS[compound]! : UNKNOWN_PART;
}

/** The maximum-likelihood mean of normal values. `ended` are known; of `longer` only a lower bound is known. */
function likeliestShift(ended: readonly number[], longer: readonly number[]): number {
  const prior = (STINT_DEVIATION / RACE_DEVIATION) ** 2;
  let shift = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let force = -prior * shift;
    let weight = prior;
    for (const value of ended) {
      force += value - shift;
      weight++;
    }
    for (const value of longer) {
      const z = (value - shift) / STINT_DEVIATION;
      const beyond = meanBeyond(z);
      force += STINT_DEVIATION * beyond;
      weight += beyond * (beyond - z);
    }
    shift += force / weight;
  }
  return shift;
}

/** The mean of a standard normal value given that it exceeds `z`. */
function meanBeyond(z: number): number {
  return z > TAIL ? z + 1 / z : normalDensity(z) / Math.sqrt(2 * Math.PI) / (1 - normalBelow(z));
}
