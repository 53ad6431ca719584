// Plays one race many times. In each, somebody may retire, the safety car comes out as often as drawn, and those who see the
// end do so in an order in which strength makes a place likely, not certain: each draws a time from an exponential distribution
// whose rate is his strength, which is a draw from the Plackett-Luce model. A safety car brings the field together and makes
// strengths more alike. Nothing is allocated for a single race.

import { assert } from '#engine/base/assert.ts';
import type { Random } from '#engine/base/random.ts';

/** Their numbers fit into bytes. */
const DRIVERS_NUMBERED_MAX = 256;

export interface RaceModel {
  /** Logarithms of strength. */
  readonly utilities: Float64Array;
  /** How likely each is to retire. */
  readonly hazards: Float64Array;
  /** How likely there are 0, 1, 2 ... safety cars. */
  readonly neutralisations: readonly number[];
  /** How much one more safety car evens out the chances. */
  readonly neutralisationNoise: number;
}

/** What came of all races together. Drivers in the order of the model. */
export interface RaceTally {
  readonly simulations: number;
  /** How often a driver took a place, by driver and place; those who retired take the last places. */
  readonly places: Uint32Array;
  readonly retirements: Uint32Array;
  /** How often a driver scored, and what he scored altogether; a driver who retired does not. */
  readonly scored: Uint32Array;
  readonly points: Float64Array;
}

/** One race after another, in the same memory. */
export class RaceSimulation {
  readonly drivers: number;
  /** Of the latest race: drivers from the first place to the last; the first `finishers` of them have seen the end. */
  readonly order: Uint8Array;
  finishers = 0;
  readonly #model: RaceModel;
  readonly #random: Random;
  /** How likely so many safety cars or fewer are. */
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

  /** `factors` make drivers stronger or weaker than the model says, for this race only. */
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
    // Among those who retired chance decides.
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

/** `pointsByPlace` from the first place on. */
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
