// A logit of choices: one of some alternatives is taken, each of which has features. With a ridge, by Newton's method, which has
// one answer.

import { solve } from './logistic.ts';

export interface Choice {
  /** Features of each alternative. */
  readonly alternatives: readonly (readonly number[])[];
  /** Index of the one taken. */
  readonly taken: number;
}

const ROUNDS = 12;
/** Keeps features that tell nothing from having no answer. */
const PENALTY = 1;

/** One weight for each feature. */
export function fitChoices(choices: readonly Choice[]): number[] {
  const size = choices[0]!.alternatives[0]!.length;
  const weights = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = Float64Array.from(weights, (weight) => -weight * PENALTY);
    const curvature = Array.from({ length: size }, (_, index) => {
      const row = new Float64Array(size);
      row[index] = PENALTY;
      return row;
    });
    for (const { alternatives, taken } of choices) {
      const odds = alternatives.map((features) =>
        Math.exp(features.reduce((sum, one, i) => sum + one * weights[i]!, 0)),
      );
      const all = odds.reduce((sum, one) => sum + one, 0);
      const means = Float64Array.from({ length: size }, (_, index) =>
        alternatives.reduce((sum, features, other) => sum + (odds[other]! / all) * features[index]!, 0),
      );
      for (const [other, features] of alternatives.entries()) {
        const chance = odds[other]! / all;
        for (let row = 0; row < size; row++) {
          const away = features[row]! - means[row]!;
          if (other === taken) slope[row]! += away;
          for (let column = 0; column <= row; column++)
            curvature[row]![column]! += chance * away * (features[column]! - means[column]!);
        }
      }
    }
    const step = solve(curvature, slope);
    for (let index = 0; index < size; index++) weights[index]! += step[index]!;
  }
  return [...weights];
}
