// The machine's monotonic clock, read directly, so that times of different processes can be compared. (The engine's
// clock is exact within one thread; between two it may be off by what came between the two looks at its start.)

/** Milliseconds with a fraction. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
