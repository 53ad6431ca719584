// Time as a parameter: engine logic never reads the machine's clock itself.

export interface Clock {
  /** Monotonic milliseconds with a fraction, the same on every thread; differences only, never shown to anyone. */
  nowMs(): number;
  /** Unix epoch milliseconds, for records and headers. */
  wallMs(): number;
}

/** Each thread counts from its own beginning; the machine's monotonic clock is common to all. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const systemClock: Clock = {
  nowMs: () => ORIGIN_MS + performance.now(),
  wallMs: () => Date.now(),
};
