// The machine's monotonic clock, read directly, so times from different processes are comparable. (The engine's clock
// is exact within one thread. Between threads it may be off by the delay between the two readings that set it up.)

/** Fractional milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
