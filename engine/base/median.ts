// The value in the middle, which outliers do not move.

/** Of an even count the mean of the two in the middle. There must be a value. Reorders the list. */
export function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
