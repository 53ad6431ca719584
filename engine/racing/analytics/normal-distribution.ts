// The normal distribution. The cumulative function comes from a table, because one update of the odds calls it ten
// thousand times. Linear interpolation keeps it continuous and monotonic; the error is below 1e-5.

const REACH = 8;
const STEPS_PER_UNIT = 64;
const TABLE = tabulated();

/** The 90th percentile, in standard deviations above the mean. */
export const Z90 = 1.2816;

/** The cumulative distribution at `z` standard deviations. Exactly 0 or 1 beyond eight of them. */
export function normalBelow(z: number): number {
  const at = (z + REACH) * STEPS_PER_UNIT;
  if (!(at > 0)) return 0;
  const index = Math.floor(at);
  if (index >= TABLE.length - 1) return 1;
  const low = TABLE[index]!;
  return low + (at - index) * (TABLE[index + 1]! - low);
}

/** The density at `z` standard deviations, without its constant factor. */
export function normalDensity(z: number): number {
  return Math.exp(-(z * z) / 2);
}

/** Integrates with Simpson's rule, then scales the table so that it ends at 1. */
function tabulated(): Float64Array {
  const table = new Float64Array(2 * REACH * STEPS_PER_UNIT + 1);
  const step = 1 / STEPS_PER_UNIT;
  for (let i = 1; i < table.length; i++) {
    const from = -REACH + (i - 1) * step;
    const area = normalDensity(from) + 4 * normalDensity(from + step / 2) + normalDensity(from + step);
    table[i] = table[i - 1]! + area;
  }
  const whole = table.at(-1)!;
  for (let i = 0; i < table.length; i++) table[i] = table[i]! / whole;
  return table;
}
