// The distribution over finishing positions when each car's time is an independent random value. It is computed without
// random draws, so it changes only when its inputs change.
//
// Given a car's finishing time, every other car is ahead with a known chance. The number of cars ahead is therefore a
// sum of unequal coin tosses (a Poisson binomial), which a recursion gives exactly. The result is averaged over a grid
// of the car's times. A retired car comes behind all finishers and ahead of the cars that retired before it. Scenarios
// (with and without a safety car) are mixed by their chances. The grid leaves errors of about 0.001, so at the end rows
// and columns are scaled in turn (Sinkhorn) and the remainder is spread out. Then each row and column sums to one:
// every position goes to one car.
//
// The object owns the matrices and overwrites them at the next use.

import { assert } from '#engine/base/assert.ts';
import { tossAll } from './coin-tosses.ts';

/** The time of a retirement is averaged over the midpoints of this many equal intervals. */
const RETIREMENT_NODES = 4;
/** A chance this close to 0 or 1 counts as certain. */
const CERTAIN = 1e-8;
const SCALINGS = 16;
/**
 * A minimum for every cell: scaling would fail on nearly certain orders that contradict each other in the last digits.
 */
const FLOOR = 1e-12;

/**
 * The times of all cars, relative to any common origin. A car is an index in the current order. Its numbers are written into
 * arrays: a number that a call returns is allocated each time, and there are ten thousand in one update.
 */
export interface Times {
  /** Number of grid points for a car's time. */
  readonly nodes: number;
  /** Writes the weight of each node. They sum to one. */
  fillWeights(car: number, weights: Float64Array): void;
  /**
   * Writes the chance of each of `cars` cars that its time is shorter than that of `car` at the node. Of those whose time is
   * certain, the ones ahead of it win a tie.
   */
  fillChancesBefore(car: number, node: number, cars: number, chances: Float64Array): void;
}

/** One way in which the race may continue. */
export interface Scenario {
  readonly chance: number;
  readonly times: Times;
  /** By car: the chance that it retires. Null: none does. */
  readonly retirement: Float64Array | null;
}

export class PositionDistribution {
  readonly #size: number;
  readonly #matrix: Float64Array;
  readonly #ahead: Float64Array;
  readonly #coins: Float64Array;
  readonly #before: Float64Array;
  readonly #finishes: Float64Array;
  #weights = new Float64Array(0);
  readonly #columns: Float64Array;
  readonly #rowDeficits: Float64Array;
  #cars = 0;

  constructor(carsMax: number) {
    this.#size = carsMax;
    this.#matrix = new Float64Array(carsMax * carsMax);
    this.#ahead = new Float64Array(carsMax + 1);
    this.#coins = new Float64Array(carsMax);
    this.#before = new Float64Array(carsMax);
    this.#finishes = new Float64Array(carsMax);
    this.#columns = new Float64Array(carsMax);
    this.#rowDeficits = new Float64Array(carsMax);
  }

  /** Computes the distribution for `cars` cars. The chances of the scenarios must sum to one. */
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
    const matrix = this.#matrix;
    const ahead = this.#ahead;
    const coins = this.#coins;
    const before = this.#before;
    const finishes = this.#finishes;
    if (this.#weights.length < times.nodes) this.#weights = new Float64Array(times.nodes);
    const weights = this.#weights;
    for (let car = 0; car < cars; car++) finishes[car] = 1 - (retirement?.[car] ?? 0);
    for (let car = 0; car < cars; car++) {
      times.fillWeights(car, weights);
      for (let node = 0; node < times.nodes; node++) {
        const weight = chance * finishes[car]! * weights[node]!;
        if (weight === 0) continue;
        times.fillChancesBefore(car, node, cars, before);
        let surely = 0;
        let tossed = 0;
        for (let other = 0; other < cars; other++) {
          const first = finishes[other]! * before[other]!;
          if (other === car || first < CERTAIN) continue;
          if (first > 1 - CERTAIN) surely++;
          else coins[tossed++] = first;
        }
        tossAll(ahead, coins, tossed);
        const row = car * cars + surely;
        for (let count = 0; count <= tossed; count++) matrix[row + count]! += weight * ahead[count]!;
      }
    }
    if (retirement !== null) this.#addRetired(chance, retirement);
  }

  #addRetired(chance: number, retirement: Float64Array): void {
    const cars = this.#cars;
    const ahead = this.#ahead;
    const coins = this.#coins;
    for (let car = 0; car < cars; car++) {
      const weight = (chance * retirement[car]!) / RETIREMENT_NODES;
      if (weight === 0) continue;
      for (let node = 0; node < RETIREMENT_NODES; node++) {
        const part = (node + 0.5) / RETIREMENT_NODES;
        let tossed = 0;
        for (let other = 0; other < cars; other++) {
          if (other !== car) coins[tossed++] = 1 - retirement[other]! * part;
        }
        tossAll(ahead, coins, tossed);
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

  /** Scales columns above one down to one, then spreads the deficits over rows and columns in proportion. */
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
