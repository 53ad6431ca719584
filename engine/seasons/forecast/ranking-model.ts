// Predicts the order of drivers from their features, with a Plackett-Luce model. The strength of a driver is exp of a
// weighted sum of his features. The first place goes to a driver with a chance proportional to his strength, the second
// to one of the rest likewise, and so on. Newton's method fits the weights to past orders. With few orders the prior
// keeps them close to their initial values.

import type { RankingSettings } from './model-settings.ts';

/** The features of the drivers in finishing order, row by row. */
export type RankedOrder = Float64Array;

const NEWTON_STEPS_MAX = 20;
/** Newton's method doubles the number of correct digits per step, so after a step this small the weights are exact. */
const CONVERGED = 1e-6;

export function fitRanking(
  orders: readonly RankedOrder[],
  prior: readonly number[],
  { placeWeight, ridge }: RankingSettings,
): Float64Array {
  const width = prior.length;
  const weights = Float64Array.from(prior);
  const gradient = new Float64Array(width);
  const curvature = new Float64Array(width * width);
  const sum = new Float64Array(width);
  const products = new Float64Array(width * width);
  for (let step = 0; step < NEWTON_STEPS_MAX; step++) {
    for (let i = 0; i < width; i++) {
      gradient[i] = ridge * (prior[i]! - weights[i]!);
      for (let j = 0; j < width; j++) curvature[i * width + j] = i === j ? ridge : 0;
    }
    for (const order of orders) addOrder(order);
    const change = solve(curvature, gradient, width);
    let largest = 0;
    for (let i = 0; i < width; i++) {
      weights[i]! += change[i]!;
      largest = Math.max(largest, Math.abs(change[i]!));
    }
    if (largest < CONVERGED) break;
  }
  return weights;

  /**
   * Goes from the last place to the first, so the sums over the drivers not yet placed grow by one driver at a time.
   */
  function addOrder(features: RankedOrder): void {
    const drivers = features.length / width;
    let total = 0;
    sum.fill(0);
    products.fill(0);
    for (let place = drivers - 1; place >= 0; place--) {
      const start = place * width;
      let utility = 0;
      for (let i = 0; i < width; i++) utility += weights[i]! * features[start + i]!;
      const strength = Math.exp(utility);
      total += strength;
      for (let i = 0; i < width; i++) {
        sum[i]! += strength * features[start + i]!;
        for (let j = 0; j <= i; j++) products[i * width + j]! += strength * features[start + i]! * features[start + j]!;
      }
      const counts = placeWeight ** place;
      for (let i = 0; i < width; i++) {
        gradient[i]! += counts * (features[start + i]! - sum[i]! / total);
        for (let j = 0; j <= i; j++) {
          const value = counts * (products[i * width + j]! / total - (sum[i]! / total) * (sum[j]! / total));
          curvature[i * width + j]! += value;
          if (i !== j) curvature[j * width + i]! += value;
        }
      }
    }
  }
}

/** Solves matrix * x = right for a symmetric, positive definite matrix. Overwrites the matrix. */
function solve(matrix: Float64Array, right: Float64Array, width: number): Float64Array {
  const x = Float64Array.from(right);
  for (let pivot = 0; pivot < width; pivot++) {
    for (let row = pivot + 1; row < width; row++) {
      const factor = matrix[row * width + pivot]! / matrix[pivot * width + pivot]!;
      for (let column = pivot; column < width; column++)
        matrix[row * width + column]! -= factor * matrix[pivot * width + column]!;
      x[row]! -= factor * x[pivot]!;
    }
  }
  for (let row = width - 1; row >= 0; row--) {
    for (let column = row + 1; column < width; column++) x[row]! -= matrix[row * width + column]! * x[column]!;
    x[row]! /= matrix[row * width + row]!;
  }
  return x;
}
