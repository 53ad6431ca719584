// The points that a race may bring, as a distribution over whole points.

/** The upper end of the distribution. No team scores more in one race, even with first and second place. */
const POINTS_MAX = 64;

export class PointsGained {
  readonly #chances = new Float64Array(POINTS_MAX + 1);

  /** For one driver. `chance` gives the chance of each position from 1 to `positions`. */
  static of(positions: number, chance: (position: number) => number, points: readonly number[]): PointsGained {
    const gained = new PointsGained();
    let scored = 0;
    for (let position = 1; position <= Math.min(positions, points.length); position++) {
      gained.#chances[points[position - 1]!]! += chance(position);
      scored += chance(position);
    }
    gained.#chances[0] = Math.max(0, 1 - scored);
    return gained;
  }

  /** For two drivers. `chance` gives the chance of both positions, from 1 to `positions`. */
  static ofPair(
    positions: number,
    chance: (one: number, other: number) => number,
    points: readonly number[],
  ): PointsGained {
    const gained = new PointsGained();
    for (let one = 1; one <= positions; one++) {
      for (let other = 1; other <= positions; other++) {
        const sum = (points[one - 1] ?? 0) + (points[other - 1] ?? 0);
        gained.#chances[Math.min(POINTS_MAX, sum)]! += chance(one, other);
      }
    }
    return gained;
  }

  static nothing(): PointsGained {
    return PointsGained.of(0, () => 0, []);
  }

  /** The sum of both, treated as independent. */
  plus(other: PointsGained): PointsGained {
    const sum = new PointsGained();
    for (let one = 0; one <= POINTS_MAX; one++) {
      if (this.#chances[one] === 0) continue;
      for (let two = 0; two <= POINTS_MAX; two++) {
        if (other.#chances[two] === 0) continue;
        sum.#chances[Math.min(POINTS_MAX, one + two)]! += this.#chances[one]! * other.#chances[two]!;
      }
    }
    return sum;
  }

  /** The chance of at most that many points. */
  atMost(points: number): number {
    let sum = 0;
    for (let count = 0; count <= Math.min(points, POINTS_MAX); count++) sum += this.#chances[count]!;
    return sum;
  }

  get mean(): number {
    let sum = 0;
    for (let points = 1; points <= POINTS_MAX; points++) sum += this.#chances[points]! * points;
    return sum;
  }

  /** The fewest points p for which the chance of at most p points is at least `chance`. */
  quantile(chance: number): number {
    let sum = 0;
    for (let points = 0; points < POINTS_MAX; points++) {
      sum += this.#chances[points]!;
      if (sum >= chance) return points;
    }
    return POINTS_MAX;
  }
}
