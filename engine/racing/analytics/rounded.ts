// Rounds model output to fixed decimals, so payload bytes are the same on every machine.

/** Rounds to `decimals` decimals. Never returns minus zero. */
export function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale + 0;
}
