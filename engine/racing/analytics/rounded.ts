// Numbers of models as customers see them: with fixed decimals, so that the bytes are the same everywhere.

/** Rounded to that many decimals; never minus zero. */
export function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale + 0;
}
