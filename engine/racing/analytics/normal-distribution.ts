// The normal distribution. Its function comes from a table: the odds ask for it ten thousand times in one moment. Linear between
// entries, so that it is continuous and never falls; wrong by less than a hundred-thousandth.

const REACH = 8;
const STEPS_PER_UNIT = 64;
const TABLE = tabulated();

/** How many standard deviations a value that nine of ten lie below is above the mean. */
export const Z90 = 1.2816;

/** The part of values below `z` standard deviations; 0 and 1 beyond eight of them. */
export function normalBelow(z: number): number {
  const at = (z + REACH) * STEPS_PER_UNIT;
  if (!(at > 0)) return 0;
  const index = Math.floor(at);
  if (index >= TABLE.length - 1) return 1;
  const low = TABLE[index]!;
  return low + (at - index) * (TABLE[index + 1]! - low);
}

/** Proportional to how dense values are at `z` standard deviations. */
export function normalDensity(z: number): number {
  return Math.exp(-(z * z) / 2);
}

/** Simpson's rule from step to step, divided by the whole so that it ends at 1. */
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
