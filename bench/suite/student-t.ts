// Student's t distribution: how far the mean of a few noisy values may stray by chance.

const STEPS = 64;
const HALVINGS = 24;

/** From here on it is the normal distribution, within a hundredth; the steps would miss the narrow peak of more. */
const DEGREES_MAX = 100;

/**
 * How likely a value above `t` is, with `degrees` (at least 1, not always whole) of freedom. With t = sqrt(degrees) * tan(angle)
 * the density becomes a power of a cosine, so the tail is one finite integral beside another, by Simpson's rule.
 */
export function studentAbove(t: number, degrees: number): number {
  if (t < 0) return 1 - studentAbove(-t, degrees);
  const known = Math.min(degrees, DEGREES_MAX);
  return cosineIntegral(Math.atan(t / Math.sqrt(known)), known) / (2 * cosineIntegral(0, known));
}

/** The value that is exceeded with `probability` (between 0 and a half). */
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

/** Of cos(angle) ^ (degrees - 1), from `from` to a right angle. */
function cosineIntegral(from: number, degrees: number): number {
  const step = (Math.PI / 2 - from) / STEPS;
  let sum = 0;
  for (let i = 0; i <= STEPS; i++) {
    const weight = i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.max(0, Math.cos(from + i * step)) ** (degrees - 1);
  }
  return (sum * step) / 3;
}
