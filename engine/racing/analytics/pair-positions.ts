// The joint chances of the final positions of two cars of one team: those of each car as the race odds have them, and never
// the same position for both. Starts from independent cars and scales rows and columns in turn (Sinkhorn).

import { DRIVERS_MAX } from '#engine/base/limits.ts';

const SCALINGS = 12;

/** Each call of `of` overwrites the chances of the one before. */
export class PairPositions {
  readonly #joint = new Float64Array(DRIVERS_MAX * DRIVERS_MAX);
  #positions = 0;

  /** `one` and `other` give the chance of each position from 1 to `positions`, at least two. */
  of(positions: number, one: (position: number) => number, other: (position: number) => number): void {
    this.#positions = positions;
    const joint = this.#joint;
    for (let row = 0; row < positions; row++) {
      const chance = one(row + 1);
      for (let column = 0; column < positions; column++) {
        joint[row * positions + column] = row === column ? 0 : chance * other(column + 1);
      }
    }
    for (let round = 0; round < SCALINGS; round++) {
      for (let column = 0; column < positions; column++) this.#scale(column, positions, other(column + 1));
      for (let row = 0; row < positions; row++) this.#scale(row * positions, 1, one(row + 1));
    }
  }

  /** The chance that the first car finishes in the one position (from 1) and the second in the other. */
  chance(one: number, other: number): number {
    return this.#joint[(one - 1) * this.#positions + other - 1]!;
  }

  /** Scales a row or column to its sum. */
  #scale(from: number, step: number, wanted: number): void {
    let sum = 0;
    for (let index = 0, cell = from; index < this.#positions; index++, cell += step) sum += this.#joint[cell]!;
    if (sum === 0) return;
    for (let index = 0, cell = from; index < this.#positions; index++, cell += step) this.#joint[cell]! *= wanted / sum;
  }
}
