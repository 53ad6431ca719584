// A linear regression with a prior for each coefficient, stored as normal equations. Rows are added but not kept, so
// the cost of solving depends only on the number of coefficients. Coefficients are numbered in the order in which they
// are created.

/** The values of a row by coefficient. All others are 0. */
export interface SparseRow {
  readonly columns: readonly number[];
  readonly values: readonly number[];
  readonly target: number;
}

export class RidgeRegression {
  readonly #stride: number;
  readonly #noise: number;
  /** The normal equations: the lower triangle of the left side, and the right side. */
  readonly #products: Float64Array;
  readonly #yields: Float64Array;
  readonly #priorMeans: Float64Array;
  readonly #priorWeights: Float64Array;
  readonly #coefficients: Float64Array;
  /** Covariance of the coefficients, in units of the noise variance. */
  readonly #covariance: Float64Array;
  readonly #factor: Float64Array;
  readonly #sums: Float64Array;
  #size = 0;

  /** `noise`: standard deviation of a target around its prediction. */
  constructor(coefficientsMax: number, noise: number) {
    const cells = coefficientsMax * coefficientsMax;
    this.#stride = coefficientsMax;
    this.#noise = noise;
    this.#products = new Float64Array(cells);
    this.#covariance = new Float64Array(cells);
    this.#factor = new Float64Array(cells);
    this.#yields = new Float64Array(coefficientsMax);
    this.#priorMeans = new Float64Array(coefficientsMax);
    this.#priorWeights = new Float64Array(coefficientsMax);
    this.#coefficients = new Float64Array(coefficientsMax);
    this.#sums = new Float64Array(coefficientsMax);
  }

  /**
   * Returns the number of a new coefficient. It has its prior's value until the next `solve`. Null: no room is left.
   */
  coefficient(priorMean: number, priorDeviation: number): number | null {
    if (this.#size === this.#stride) return null;
    const column = this.#size++;
    this.#priorMeans[column] = priorMean;
    this.#coefficients[column] = priorMean;
    this.#priorWeights[column] = (this.#noise / priorDeviation) ** 2;
    this.#covariance[column * this.#stride + column] = 1 / this.#priorWeights[column]!;
    return column;
  }

  /**
   * Adds rows that share one extra unknown, and eliminates that unknown. Its prior is 0 with the weight of `sharedRows`
   * rows; with `sharedRows` 0 it is unconstrained.
   */
  addGroup(rows: readonly SparseRow[], weights: readonly number[], sharedRows: number): void {
    const sums = this.#sums.fill(0);
    let total = 0;
    let targets = 0;
    rows.forEach((row, index) => {
      const weight = weights[index]!;
      const { columns, values, target } = row;
      total += weight;
      targets += weight * target;
      for (let a = 0; a < columns.length; a++) {
        const value = weight * values[a]!;
        sums[columns[a]!]! += value;
        this.#yields[columns[a]!]! += value * target;
        for (let b = 0; b < columns.length; b++) {
          if (columns[b]! <= columns[a]!)
            this.#products[columns[a]! * this.#stride + columns[b]!]! += value * values[b]!;
        }
      }
    });
    if (total === 0) return;
    const scale = 1 / (total + sharedRows);
    for (let a = 0; a < this.#size; a++) {
      if (sums[a] === 0) continue;
      const value = sums[a]! * scale;
      this.#yields[a]! -= value * targets;
      for (let b = 0; b <= a; b++) this.#products[a * this.#stride + b]! -= value * sums[b]!;
    }
  }

  /**
   * Computes the coefficients and their covariance by Cholesky factorisation. The priors keep the matrix positive
   * definite.
   */
  solve(): void {
    const n = this.#size;
    const stride = this.#stride;
    const factor = this.#factor;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = this.#products[i * stride + j]! + (i === j ? this.#priorWeights[i]! : 0);
        for (let k = 0; k < j; k++) sum -= factor[i * stride + k]! * factor[j * stride + k]!;
        factor[i * stride + j] = i === j ? Math.sqrt(sum) : sum / factor[j * stride + j]!;
      }
    }
    // Inverts the factor in place in the lower triangle of the covariance.
    const inverse = this.#covariance;
    for (let j = 0; j < n; j++) {
      inverse[j * stride + j] = 1 / factor[j * stride + j]!;
      for (let i = j + 1; i < n; i++) {
        let sum = 0;
        for (let k = j; k < i; k++) sum -= factor[i * stride + k]! * inverse[k * stride + j]!;
        inverse[i * stride + j] = sum / factor[i * stride + i]!;
      }
    }
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = i; k < n; k++) sum += inverse[k * stride + i]! * inverse[k * stride + j]!;
        inverse[i * stride + j] = sum;
      }
    }
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) {
        sum += this.#relative(i, j) * (this.#yields[j]! + this.#priorWeights[j]! * this.#priorMeans[j]!);
      }
      this.#coefficients[i] = sum;
    }
  }

  /** As of the latest `solve`. */
  value(column: number): number {
    return this.#coefficients[column]!;
  }

  covariance(a: number, b: number): number {
    return this.#noise ** 2 * this.#relative(a, b);
  }

  /** Predicts the target of a row. */
  predict({ columns, values }: Pick<SparseRow, 'columns' | 'values'>): number {
    let sum = 0;
    for (let i = 0; i < columns.length; i++) sum += this.#coefficients[columns[i]!]! * values[i]!;
    return sum;
  }

  #relative(a: number, b: number): number {
    return this.#covariance[a >= b ? a * this.#stride + b : b * this.#stride + a]!;
  }
}
