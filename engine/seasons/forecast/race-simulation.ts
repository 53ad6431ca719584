// Simulates one race many times. Each simulation draws the retirements, the number of safety cars, and the order of the
// finishers. For the order, each finisher draws a time from an exponential distribution whose rate is his strength;
// that is a draw from the Plackett-Luce model. Each safety car brings the field together, which makes strengths more
// alike. A single race allocates nothing.

import { assert } from '#engine/base/assert.ts';
import type { Random } from '#engine/base/random.ts';

/** Driver indexes are stored in bytes. */
const DRIVERS_NUMBERED_MAX = 256;

export interface RaceModel {
  /** Logarithms of strength. */
  readonly utilities: Float64Array;
  /** Each driver's chance of retiring. */
  readonly hazards: Float64Array;
  /** The chances of 0, 1, 2, ... safety cars. */
  readonly neutralisations: readonly number[];
  /** How much each safety car evens out the chances. */
  readonly neutralisationNoise: number;
}

/** The totals over all simulated races. Drivers are in the order of the model. */
export interface RaceTally {
  readonly simulations: number;
  /** How often each driver took each place, as a matrix by driver and place. Retired drivers take the last places. */
  readonly places: Uint32Array;
  readonly retirements: Uint32Array;
  /** How often a driver scored, and his total points. A retired driver does not score. */
  readonly scored: Uint32Array;
  readonly points: Float64Array;
}

/** Runs one race after another and reuses its memory. */
export class RaceSimulation {
  readonly drivers: number;
  /** The latest race: drivers from first place to last. The first `finishers` of them finished. */
  readonly order: Uint8Array;
  finishers = 0;
  readonly #model: RaceModel;
  readonly #random: Random;
  /** The cumulative chances of the number of safety cars. */
  readonly #cumulative: Float64Array;
  /** By number of safety cars. */
  readonly #strengths: readonly Float64Array[];
  readonly #keys: Float64Array;

  constructor(model: RaceModel, random: Random) {
    const { utilities, neutralisations, neutralisationNoise } = model;
    this.drivers = utilities.length;
    assert(this.drivers <= DRIVERS_NUMBERED_MAX, 'the numbers of all drivers fit into bytes');
    this.order = new Uint8Array(this.drivers);
    this.#model = model;
    this.#random = random;
    this.#keys = new Float64Array(this.drivers);
    let sum = 0;
    this.#cumulative = Float64Array.from(neutralisations, (probability) => {
      sum += probability;
      return sum;
    });
    this.#strengths = neutralisations.map((_, count) => {
      return utilities.map((utility) => Math.exp(utility / (1 + neutralisationNoise * count)));
    });
  }

  /** `factors` multiply the drivers' strengths, for this race only. */
  run(factors: Float64Array | null): void {
    const random = this.#random;
    const keys = this.#keys;
    const order = this.order;
    const strengths = this.#strengths[this.#drawNeutralisations()]!;
    const { hazards } = this.#model;
    let ahead = 0;
    let behind = this.drivers;
    for (let driver = 0; driver < this.drivers; driver++) {
      if (random.next() < hazards[driver]!) {
        order[--behind] = driver;
        continue;
      }
      const strength = factors === null ? strengths[driver]! : strengths[driver]! * factors[driver]!;
      const key = -Math.log(1 - random.next()) / strength;
      let place = ahead++;
      while (place > 0 && keys[place - 1]! > key) {
        keys[place] = keys[place - 1]!;
        order[place] = order[place - 1]!;
        place--;
      }
      keys[place] = key;
      order[place] = driver;
    }
    this.finishers = ahead;
    // The order of the retired drivers is random.
    for (let place = this.drivers - 1; place > ahead; place--) {
      const other = ahead + Math.floor(random.next() * (place - ahead + 1));
      const driver = order[place]!;
      order[place] = order[other]!;
      order[other] = driver;
    }
  }

  #drawNeutralisations(): number {
    const draw = this.#random.next();
    let count = 0;
    while (count < this.#cumulative.length - 1 && draw >= this.#cumulative[count]!) count++;
    return count;
  }
}

/** `pointsByPlace` begins with the winner's points. */
export function simulateRaces(
  model: RaceModel,
  pointsByPlace: readonly number[],
  simulations: number,
  random: Random,
): RaceTally {
  const race = new RaceSimulation(model, random);
  const { drivers, order } = race;
  const places = new Uint32Array(drivers * drivers);
  const retirements = new Uint32Array(drivers);
  const scored = new Uint32Array(drivers);
  const points = new Float64Array(drivers);
  for (let simulation = 0; simulation < simulations; simulation++) {
    race.run(null);
    for (let place = 0; place < drivers; place++) {
      const driver = order[place]!;
      places[driver * drivers + place]!++;
      if (place >= race.finishers) retirements[driver]!++;
      else if (place < pointsByPlace.length) {
        scored[driver]!++;
        points[driver]! += pointsByPlace[place]!;
      }
    }
  }
  return { simulations, places, retirements, scored, points };
}
