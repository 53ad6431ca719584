// The joint chances of the final positions of two cars of one team: those of each car as the race odds have them, and never
// the same position for both. Starts from independent cars and scales rows and columns in turn (Sinkhorn).

import { DRIVERS_MAX } from '#engine/base/limits.ts';

const SCALINGS = 12;

/** Each call of `of` overwrites the chances of the one before. */
export class PairPositions {
  readonly #joint = new Float64Array(DRIVERS_MAX * DRIVERS_MAX);
  readonly #one = new Float64Array(DRIVERS_MAX);
  readonly #other = new Float64Array(DRIVERS_MAX);
  readonly #factors = new Float64Array(DRIVERS_MAX);
  #positions = 0;

  /** `one` and `other` give the chance of each position from 1 to `positions`, at least two. */
  of(positions: number, one: (position: number) => number, other: (position: number) => number): void {
    this.#positions = positions;
    const joint = this.#joint;
    for (let index = 0; index < positions; index++) {
      this.#one[index] = one(index + 1);
      this.#other[index] = other(index + 1);
    }
    for (let row = 0; row < positions; row++) {
      const chance = this.#one[row]!;
      for (let column = 0; column < positions; column++) {
        joint[row * positions + column] = row === column ? 0 : chance * this.#other[column]!;
      }
    }
    for (let round = 0; round < SCALINGS; round++) {
      this.#sumColumns();
      for (let column = 0; column < positions; column++) {
        const sum = this.#factors[column]!;
        this.#factors[column] = sum === 0 ? 1 : this.#other[column]! / sum;
      }
      for (let row = 0; row < positions; row++) this.#scaleRow(row);
    }
  }

  /** The chance that the first car finishes in the one position (from 1) and the second in the other. */
  chance(one: number, other: number): number {
    return this.#joint[(one - 1) * this.#positions + other - 1]!;
  }

  /** Into the factors that will scale them. */
  #sumColumns(): void {
    const positions = this.#positions;
    const joint = this.#joint;
    const sums = this.#factors.fill(0, 0, positions);
    for (let from = 0; from < positions * positions; from += positions) {
      for (let column = 0; column < positions; column++) sums[column]! += joint[from + column]!;
    }
  }

  /** Scales each column of the row by its factor, and then the row to its sum. */
  #scaleRow(row: number): void {
    const positions = this.#positions;
    const joint = this.#joint;
    const factors = this.#factors;
    const from = row * positions;
    let sum = 0;
    for (let column = 0; column < positions; column++) {
      joint[from + column]! *= factors[column]!;
      sum += joint[from + column]!;
    }
    if (sum === 0) return;
    const factor = this.#one[row]! / sum;
    for (let column = 0; column < positions; column++) joint[from + column]! *= factor;
  }
}
