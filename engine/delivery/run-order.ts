// What a run delivers: the updates of one session to the endpoints of one account, live or replayed.

/** Live delivery of a session, or a replay of it. The two share nothing but the settings of endpoints. */
export type RunMode = 'live' | 'replay';

/** The mode of a delivery. A test belongs to no run. */
export type DeliveryMode = RunMode | 'test';

/** `stopped`: by its account. `expired`: the deliveries of its session took too long. */
export type StopReason = 'stopped' | 'expired';

export interface RunOrder {
  readonly mode: RunMode;
  readonly runId: string;
  readonly runNo: number;
  readonly sessionId: string;
  readonly accountId: string;
  /**
   * The pace of a replay. Infinity delivers everything at once: the rest of a live session that has ended, or a bench.
   */
  readonly speed: number;
  /** When position 0 of a replay is due, on the monotonic clock, which is the same on all threads. */
  readonly pacedFromMs: number;
  /** True for the demo session: every active endpoint gets every feed, whatever its subscriptions. */
  readonly allFeeds: boolean;
  /** The account's cell (usage/allowance.ts), shared by all threads. */
  readonly allowance: SharedArrayBuffer;
}
