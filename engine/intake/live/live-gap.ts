// A time in which nothing of a live session arrived: its source was silent for more than LIVE_GAP_MS, or this service
// was down. What fell into it is missing as single updates, so it was never due.

export interface LiveGap {
  readonly cause: 'source' | 'service';
  /** Unix epoch milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Called when a gap has ended. */
export type GapListener = (sessionId: string, gap: LiveGap) => void;
