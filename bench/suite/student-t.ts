// Student's t distribution: how far the mean of a few noisy values strays by chance.

const STEPS = 64;
const HALVINGS = 24;

/** Above this the distribution is normal to within 1 %, and STEPS would be too coarse for the narrow peak. */
const DEGREES_MAX = 100;

/**
 * The probability of a value above `t` with `degrees` of freedom (at least 1, may be fractional). Substituting
 * t = sqrt(degrees) * tan(angle) turns the density into a power of a cosine, so the tail is a ratio of two finite
 * integrals, computed by Simpson's rule.
 */
export function studentAbove(t: number, degrees: number): number {
  if (t < 0) return 1 - studentAbove(-t, degrees);
  const known = Math.min(degrees, DEGREES_MAX);
  return cosineIntegral(Math.atan(t / Math.sqrt(known)), known) / (2 * cosineIntegral(0, known));
}

/** The value exceeded with `probability`, which is between 0 and 0.5. */
export function studentQuantile(probability: number, degrees: number): number {
  const known = Math.min(degrees, DEGREES_MAX);
  const wanted = probability * 2 * cosineIntegral(0, known);
  let low = 0;
  let high = Math.PI / 2;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (cosineIntegral(middle, known) > wanted) low = middle;
    else high = middle;
  }
  return Math.sqrt(known) * Math.tan(low);
}

/** The integral of cos(angle) ^ (degrees - 1) from `from` to a right angle. */
function cosineIntegral(from: number, degrees: number): number {
  const step = (Math.PI / 2 - from) / STEPS;
  let sum = 0;
  for (let i = 0; i <= STEPS; i++) {
    const weight = i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.max(0, Math.cos(from + i * step)) ** (degrees - 1);
  }
  return (sum * step) / 3;
}
