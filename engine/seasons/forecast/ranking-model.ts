// Predicts the order of drivers from their features, with a Plackett-Luce model. The strength of a driver is exp of a
// weighted sum of his features. The first place goes to a driver with a chance proportional to his strength, the second
// to one of the rest likewise, and so on. Newton's method fits the weights to past orders. With few orders the prior
// keeps them close to their initial values. Each order counts less than the next one.
//
// How sure the chances may be is learnt apart (`fitTemperature`): by how likely past winners were.

import type { RankingSettings, TemperatureSettings } from './model-settings.ts';

/** The features of the drivers in finishing order, row by row. */
export type RankedOrder = Float64Array;

const NEWTON_STEPS_MAX = 20;
/** Newton's method doubles the number of correct digits per step, so after a step this small the weights are exact. */
const CONVERGED = 1e-6;
/** A few surprises in a row change the chances no more than this. */
const FACTOR_MAX = 2;

/** `orders`: by weekend, the latest last. An empty one counts as a weekend without the session. */
export function fitRanking(
  orders: readonly RankedOrder[],
  prior: readonly number[],
  { placeWeight, ridge, halfLife }: RankingSettings,
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
    orders.forEach((order, index) => {
      addOrder(order, 0.5 ** ((orders.length - index) / halfLife));
    });
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
  function addOrder(features: RankedOrder, weight: number): void {
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
      const counts = weight * placeWeight ** place;
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

/**
 * The factor for all weights that makes the past first places most likely. Above 1: the winners were surer than the
 * weights say. It maximises a concave function of one number.
 */
export function fitTemperature(
  orders: readonly RankedOrder[],
  weights: Float64Array,
  { halfLife, prior }: TemperatureSettings,
): number {
  const width = weights.length;
  const utilities = orders.map((features) =>
    Float64Array.from({ length: features.length / width }, (_, driver) =>
      weights.reduce((sum, weight, i) => sum + weight * features[driver * width + i]!, 0),
    ),
  );
  let factor = 1;
  for (let step = 0; step < NEWTON_STEPS_MAX; step++) {
    let gradient = prior * (1 - factor);
    let curvature = prior;
    utilities.forEach((own, index) => {
      if (own.length === 0) return;
      const counts = 0.5 ** ((orders.length - index) / halfLife);
      let total = 0;
      let sum = 0;
      let squares = 0;
      for (const utility of own) {
        const strength = Math.exp(factor * (utility - own[0]!));
        total += strength;
        sum += strength * utility;
        squares += strength * utility * utility;
      }
      const mean = sum / total;
      gradient += counts * (own[0]! - mean);
      curvature += counts * (squares / total - mean ** 2);
    });
    const change = gradient / curvature;
    factor = Math.min(FACTOR_MAX, Math.max(1 / FACTOR_MAX, factor + change));
    if (Math.abs(change) < CONVERGED) break;
  }
  return factor;
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
