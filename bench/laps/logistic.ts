// Logistic regression with a ridge: each weight has its own penalty, so groups such as circuits are drawn together. By
// Newton's method, which has one answer.

export interface LogisticRow {
  readonly features: readonly number[];
  /** Index of the row's group; -1: none. */
  readonly group: number;
  readonly happened: boolean;
}

export interface LogisticFit {
  /** One for each feature. */
  readonly weights: readonly number[];
  /** One for each group, beside the features. */
  readonly groups: readonly number[];
  /** Standard deviations of the groups' effects. */
  readonly groupDeviations: readonly number[];
}

const ROUNDS = 12;
/** Keeps features without any variance from having no answer. */
const FEATURE_PENALTY = 1e-3;

/** `groupDeviation`: how far groups differ, in logits; 0: all alike. */
export function fitLogistic(rows: readonly LogisticRow[], groups: number, groupDeviation: number): LogisticFit {
  const features = rows[0]!.features.length;
  const used = groupDeviation > 0 ? groups : 0;
  const size = features + used;
  const weights = new Float64Array(size);
  const penalty = (index: number) => (index < features ? FEATURE_PENALTY : 1 / groupDeviation ** 2);
  let curvature: Float64Array[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const slope = Float64Array.from(weights, (weight, index) => -weight * penalty(index));
    curvature = Array.from({ length: size }, (_, index) => {
      const row = new Float64Array(size);
      row[index] = penalty(index);
      return row;
    });
    for (const { features: values, group, happened } of rows) {
      const own = used > 0 && group >= 0 ? features + group : -1;
      let logit = own < 0 ? 0 : weights[own]!;
      for (let index = 0; index < features; index++) logit += weights[index]! * values[index]!;
      const chance = 1 / (1 + Math.exp(-logit));
      const miss = (happened ? 1 : 0) - chance;
      const weight = chance * (1 - chance);
      for (let index = 0; index < features; index++) {
        slope[index]! += miss * values[index]!;
        const row = curvature[index]!;
        const scaled = weight * values[index]!;
        for (let other = 0; other <= index; other++) row[other]! += scaled * values[other]!;
        if (own >= 0) curvature[own]![index]! += scaled;
      }
      if (own < 0) continue;
      slope[own]! += miss;
      curvature[own]![own]! += weight;
    }
    const step = solve(curvature, slope);
    for (let index = 0; index < size; index++) weights[index]! += step[index]!;
  }
  const deviations = Array.from({ length: used }, (_, group) => {
    const unit = new Float64Array(size);
    unit[features + group] = 1;
    return Math.sqrt(solve(curvature, unit)[features + group]!);
  });
  return {
    weights: [...weights.subarray(0, features)],
    groups: used > 0 ? [...weights.subarray(features)] : new Array(groups).fill(0),
    groupDeviations: used > 0 ? deviations : new Array(groups).fill(0),
  };
}

/** By Cholesky's decomposition, of a matrix of which the lower half is given. */
export function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const lower = matrix.map((row) => row.slice());
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = lower[row]![column]!;
      for (let index = 0; index < column; index++) sum -= lower[row]![index]! * lower[column]![index]!;
      lower[row]![column] = row === column ? Math.sqrt(sum) : sum / lower[column]![column]!;
    }
  }
  const answer = right.slice();
  for (let row = 0; row < size; row++) {
    for (let index = 0; index < row; index++) answer[row]! -= lower[row]![index]! * answer[index]!;
    answer[row]! /= lower[row]![row]!;
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let index = row + 1; index < size; index++) answer[row]! -= lower[index]![row]! * answer[index]!;
    answer[row]! /= lower[row]![row]!;
  }
  return answer;
}
