// Normally distributed times, each car with its own mean and deviation.

import { normalBelow, normalDensity } from './normal-distribution.ts';
import type { Times } from './position-distribution.ts';

/** The grid over a car's time, from -3 to 3 standard deviations. */
const NODES = 11;
const NODE_STEP = 0.6;
const WEIGHTS = nodeWeights();

/** The owner fills the arrays. */
export class NormalTimes implements Times {
  readonly nodes = NODES;
  readonly meanSeconds: Float64Array;
  readonly deviationSeconds: Float64Array;

  constructor(carsMax: number) {
    this.meanSeconds = new Float64Array(carsMax);
    this.deviationSeconds = new Float64Array(carsMax);
  }

  time(car: number, node: number): number {
    return this.meanSeconds[car]! + nodeAt(node) * this.deviationSeconds[car]!;
  }

  weight(_car: number, node: number): number {
    return WEIGHTS[node]!;
  }

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

function nodeAt(node: number): number {
  return (node - (NODES - 1) / 2) * NODE_STEP;
}

function nodeWeights(): Float64Array {
  const weights = Float64Array.from({ length: NODES }, (_, node) => normalDensity(nodeAt(node)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
