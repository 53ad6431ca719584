// How long tires are driven: laps until teams change them. Timing tells no tire's end, so this is what teams do: a prior for
// each compound, as a part of a full race, moved for all compounds alike by the stints of this race. A stint that ended with a
// stop under green tells its length. One that goes on, or that a safety car, a mishap or a retirement ended, tells only that it
// would have been longer: to leave those out would take the first to stop for all.

import { normalBelow, normalDensity } from './normal-distribution.ts';
import type { Car, PitVisit } from './race-car.ts';
import { type RacePicture, SPRINTS_PER_RACE, tireAgeOf } from './race-picture.ts';

export interface TireLife {
  readonly laps: number;
  /** Standard deviation of stints around it. */
  readonly deviationLaps: number;
}

/** Part of a full race. That a soft tire lasts less than a hard one is known; the figures are assumptions. */
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
/** Stints scatter by this part of their length. */
const SCATTER = 0.25;
/** Logarithms: how far a race may lie from the prior, and a stint from its race. */
const RACE_DEVIATION = 0.25;
const STINT_DEVIATION = 0.35;
/** A stint shorter than this part was not ended by its tires. */
const EARLY = 0.4;
/** Rounds of Newton's method; on a concave likelihood that is plenty. */
const ROUNDS = 6;
/** Beyond so many deviations the table of the normal distribution is too coarse for its tail. */
const TAIL = 4;

export class TireLives {
  readonly #fullLaps: number;
  readonly #scale: number;
  /** Stints of this race that ended when their tires did. */
  readonly stints: number;

  /** As far as the race tells now; `totalLaps` of the race. */
  constructor(picture: RacePicture, totalLaps: number) {
    this.#fullLaps = picture.isSprint ? totalLaps * SPRINTS_PER_RACE : totalLaps;
    // Logarithms of ages, as parts of what the prior expects.
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

/** Of the car's stints. A stop that was not seen, as before the service joined in, shows in the tires and counts as one under green. */
function endsOf({ visits, stints }: Car): readonly Omit<PitVisit, 'inLap'>[] {
  const unseen = stints.slice(0, Math.max(0, stints.length - 1 - visits.length));
  return [...unseen.map((stint) => ({ ...stint, status: 'green' as const })), ...visits];
}

function partOf(compound: string | null): number {
  return compound !== null && Object.hasOwn(PARTS, compound) ? PARTS[compound]! : UNKNOWN_PART;
}

/** The likeliest mean of normal values of which some are known and the others are longer than this. */
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

/** Mean of a standard normal value that is greater than this. */
function meanBeyond(z: number): number {
  return z > TAIL ? z + 1 / z : normalDensity(z) / Math.sqrt(2 * Math.PI) / (1 - normalBelow(z));
}
