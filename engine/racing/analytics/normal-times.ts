// Normally distributed times, each car with its own mean and deviation.

import { normalBelow, normalDensity } from './normal-distribution.ts';
import type { Times } from './position-distribution.ts';

/** The grid over a car's time reaches this many standard deviations to both sides. */
const GRID_REACH = 3;
/** Enough points where every other car's time is spread out. */
const SMOOTH_NODES = 11;

/** The owner fills the arrays. */
export class NormalTimes implements Times {
  readonly nodes: number;
  readonly meanSeconds: Float64Array;
  readonly deviationSeconds: Float64Array;
  readonly #weights: Float64Array;

  /** `nodes`: grid points for a car's time, at least two; with an odd number one of them is the mean. */
  constructor(carsMax: number, nodes = SMOOTH_NODES) {
    this.nodes = nodes;
    this.#weights = nodeWeights(nodes);
    this.meanSeconds = new Float64Array(carsMax);
    this.deviationSeconds = new Float64Array(carsMax);
  }

  time(car: number, node: number): number {
    return this.meanSeconds[car]! + nodeAt(node, this.nodes) * this.deviationSeconds[car]!;
  }

  /** That of a node, of any car. */
  weight(node: number): number {
    return this.#weights[node]!;
  }

  fillWeights(_car: number, weights: Float64Array): void {
    weights.set(this.#weights);
  }

  fillChancesBefore(car: number, node: number, cars: number, chances: Float64Array): void {
    const { meanSeconds, deviationSeconds } = this;
    const time = this.time(car, node);
    for (let other = 0; other < cars; other++) {
      const early = time - meanSeconds[other]!;
      const deviation = deviationSeconds[other]!;
      chances[other] =
        deviation > 0 ? normalBelow(early / deviation) : Number(early > 0 || (early === 0 && other < car));
    }
  }

  /** The chance that the car's time is shorter than `time`. If its time is certain, `isAhead` decides a tie. */
  chanceBefore(car: number, time: number, isAhead: boolean): number {
    const early = time - this.meanSeconds[car]!;
    const deviation = this.deviationSeconds[car]!;
    if (deviation > 0) return normalBelow(early / deviation);
    return early > 0 || (early === 0 && isAhead) ? 1 : 0;
  }

  /** The chance that `car` has the shorter time. */
  chanceToBeat(car: number, other: number): number {
    const early = this.meanSeconds[other]! - this.meanSeconds[car]!;
    const deviation = Math.hypot(this.deviationSeconds[car]!, this.deviationSeconds[other]!);
    if (deviation > 0) return normalBelow(early / deviation);
    return early > 0 || (early === 0 && car < other) ? 1 : 0;
  }
}

function nodeAt(node: number, nodes: number): number {
  return GRID_REACH * ((2 * node) / (nodes - 1) - 1);
}

function nodeWeights(nodes: number): Float64Array {
  const weights = Float64Array.from({ length: nodes }, (_, node) => normalDensity(nodeAt(node, nodes)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
