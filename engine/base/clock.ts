// Time as a parameter: engine logic never reads the machine's clock itself.

export interface Clock {
  /** Monotonic milliseconds with a fraction, the same on every thread; differences only, never shown to anyone. */
  nowMs(): number;
  /** Unix epoch milliseconds, for records and headers. */
  wallMs(): number;
}

/** What a shard needs besides, because a replay must begin at the same time on every thread. */
export interface ShardClock extends Clock {
  /** As `wallMs`, with a fraction. */
  exactWallMs(): number;
}

/** Each thread counts from its own beginning; the machine's monotonic clock is common to all. */
const ORIGIN_MS = originMs();
const WALL_ORIGIN_MS = performance.timeOrigin;

export const systemClock: ShardClock = {
  nowMs: () => ORIGIN_MS + performance.now(),
  wallMs: () => Date.now(),
  exactWallMs() {
    const exact = WALL_ORIGIN_MS + performance.now();
    const whole = Date.now();
    // Once the wall clock was put right by more than that, nobody knows the fraction.
    return Math.floor(exact) === whole ? exact : whole;
  },
};

/** The two clocks are read one after the other, and the thread can be interrupted in between: the closest of several counts. */
function originMs(): number {
  let origin = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    const before = performance.now();
    const common = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= closest) continue;
    closest = after - before;
    origin = common - (before + after) / 2;
  }
  return origin;
}
