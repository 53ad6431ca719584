// The median, which outliers do not affect.

/** The median of at least one value. For an even count, the mean of the two middle values. Reorders the list. */
export function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
