// The median, which outliers do not affect.

/** Lists up to this length are sorted in memory that is kept. */
const KEPT = 512;
const kept = new Float64Array(KEPT);

/** The median of at least one value. For an even count, the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const { length } = values;
  const sorted = length <= KEPT ? kept.subarray(0, length) : new Float64Array(length);
  for (let index = 0; index < length; index++) sorted[index] = values[index]!;
  sorted.sort();
  const middle = length >> 1;
  return length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
