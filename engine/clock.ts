// Time as a parameter: engine logic never reads the machine's clock itself.

export interface Clock {
  /** Monotonic milliseconds with a fraction; differences only, never shown to anyone. */
  nowMs(): number;
  /** Unix epoch milliseconds, for records and headers. */
  wallMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
};
