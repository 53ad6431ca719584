// Who finishes where, when each car's time is a random value of its own: the whole distribution over positions, without
// drawing lots, so that it moves only when what is known moves.
//
// For a car that finishes at a given time, every other car is ahead with a known chance, so the number of cars ahead is a sum
// of unequal coins (a Poisson-binomial), which a recursion gives exactly. That is averaged over a grid of the car's times. A
// car that retires comes behind all that finish, and ahead of those that retired before it. Scenarios (no safety car, a safety
// car) are mixed by their chance. The grid leaves errors of about a thousandth: at the end rows and columns are scaled in
// turn (Sinkhorn) and what is left is evened out, so that each adds up to one: each place goes to one car.
//
// The matrices belong to the object and are written over by the next use.

import { assert } from '#engine/base/assert.ts';

/** When in its retirement time a car retires: the middles of equal parts. */
const RETIREMENT_NODES = 4;
/** A coin that is nearly certain is not tossed. */
const CERTAIN = 1e-8;
const SCALINGS = 16;
/** Keeps the scaling possible where all but certain orders contradict each other in the last digits. */
const FLOOR = 1e-12;

/** The times of all cars, against any common time; the cars are indexes in the order in which they are now. */
export interface Times {
  /** A car's time is averaged over so many. */
  readonly nodes: number;
  time(car: number, node: number): number;
  /** Those of a car add up to one. */
  weight(car: number, node: number): number;
  /** The chance that the car's time is shorter. Where there is no doubt, `isAhead` decides a tie. */
  chanceBefore(car: number, time: number, isAhead: boolean): number;
}

/** A way in which the race may go on. */
export interface Scenario {
  readonly chance: number;
  readonly times: Times;
  /** The chance that a car does not see the end: the same for all. */
  readonly retirement: number;
}

export class PositionDistribution {
  readonly #size: number;
  readonly #matrix: Float64Array;
  readonly #ahead: Float64Array;
  readonly #columns: Float64Array;
  readonly #rowDeficits: Float64Array;
  #cars = 0;

  constructor(carsMax: number) {
    this.#size = carsMax;
    this.#matrix = new Float64Array(carsMax * carsMax);
    this.#ahead = new Float64Array(carsMax + 1);
    this.#columns = new Float64Array(carsMax);
    this.#rowDeficits = new Float64Array(carsMax);
  }

  /** Computes the distribution of so many cars; the scenarios' chances add up to one. */
  compute(cars: number, scenarios: readonly Scenario[]): void {
    assert(cars <= this.#size, 'there is room for every car');
    this.#cars = cars;
    this.#matrix.fill(FLOOR, 0, cars * cars);
    for (const scenario of scenarios) if (scenario.chance > 0) this.#add(scenario);
    this.#scale();
    this.#spreadRemainder();
  }

  /** The chance that the car (an index from 0) finishes in the position (from 1). */
  chance(car: number, position: number): number {
    return this.#matrix[car * this.#cars + position - 1]!;
  }

  #add({ chance, times, retirement }: Scenario): void {
    const cars = this.#cars;
    for (let car = 0; car < cars; car++) {
      for (let node = 0; node < times.nodes; node++) {
        const time = times.time(car, node);
        const ahead = this.#ahead;
        ahead.fill(0, 0, cars);
        ahead[0] = 1;
        let surely = 0;
        let tossed = 0;
        for (let other = 0; other < cars; other++) {
          if (other === car) continue;
          const before = (1 - retirement) * times.chanceBefore(other, time, other < car);
          if (before < CERTAIN) continue;
          if (before > 1 - CERTAIN) surely++;
          else toss(ahead, ++tossed, before);
        }
        const weight = chance * (1 - retirement) * times.weight(car, node);
        const row = car * cars + surely;
        for (let count = 0; count <= tossed; count++) this.#matrix[row + count]! += weight * ahead[count]!;
      }
    }
    if (retirement > 0) this.#addRetired(chance * retirement, retirement);
  }

  /** The same for every car, as they all retire alike. */
  #addRetired(chance: number, retirement: number): void {
    const cars = this.#cars;
    const ahead = this.#ahead;
    for (let node = 0; node < RETIREMENT_NODES; node++) {
      const part = (node + 0.5) / RETIREMENT_NODES;
      ahead.fill(0, 0, cars);
      ahead[0] = 1;
      for (let other = 1; other < cars; other++) toss(ahead, other, 1 - retirement * part);
      const weight = chance / RETIREMENT_NODES;
      for (let car = 0; car < cars; car++) {
        for (let count = 0; count < cars; count++) this.#matrix[car * cars + count]! += weight * ahead[count]!;
      }
    }
  }

  #scale(): void {
    const cars = this.#cars;
    const matrix = this.#matrix;
    for (let round = 0; round < SCALINGS; round++) {
      this.#sumColumns();
      for (let column = 0; column < cars; column++) this.#columns[column] = 1 / this.#columns[column]!;
      for (let row = 0; row < cars * cars; row += cars) {
        let sum = 0;
        for (let column = 0; column < cars; column++) sum += matrix[row + column]! *= this.#columns[column]!;
        for (let column = 0; column < cars; column++) matrix[row + column]! /= sum;
      }
    }
  }

  /** Columns that have too much give it away, and what rows and columns then lack is spread over both alike. */
  #spreadRemainder(): void {
    const cars = this.#cars;
    const matrix = this.#matrix;
    this.#sumColumns();
    for (let column = 0; column < cars; column++) this.#columns[column] = Math.min(1, 1 / this.#columns[column]!);
    for (let row = 0; row < cars; row++) {
      let sum = 0;
      for (let column = 0; column < cars; column++) sum += matrix[row * cars + column]! *= this.#columns[column]!;
      this.#rowDeficits[row] = Math.max(0, 1 - sum);
    }
    this.#sumColumns();
    let deficit = 0;
    for (let row = 0; row < cars; row++) deficit += this.#rowDeficits[row]!;
    if (deficit === 0) return;
    for (let row = 0; row < cars; row++) {
      const share = this.#rowDeficits[row]! / deficit;
      for (let column = 0; column < cars; column++) {
        matrix[row * cars + column]! += share * Math.max(0, 1 - this.#columns[column]!);
      }
    }
  }

  #sumColumns(): void {
    const cars = this.#cars;
    const columns = this.#columns;
    columns.fill(0, 0, cars);
    for (let row = 0; row < cars * cars; row += cars) {
      for (let column = 0; column < cars; column++) columns[column]! += this.#matrix[row + column]!;
    }
  }
}

/** Adds a coin to the distribution of how many of the coins before it fell on ahead. */
function toss(ahead: Float64Array, coins: number, chance: number): void {
  const not = 1 - chance;
  for (let count = coins; count > 0; count--) ahead[count] = ahead[count]! * not + ahead[count - 1]! * chance;
  ahead[0]! *= not;
}
