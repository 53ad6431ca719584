// What a run delivers: the updates of one session to the endpoints of one account, live or replayed.

/** Live delivery of a session, or a replay of it. The two share nothing but the settings of endpoints. */
export type RunMode = 'live' | 'replay';

/** The mode of a delivery. A test belongs to no run. */
export type DeliveryMode = RunMode | 'test';

/** What makes a run a resend: it sends updates of an earlier run again, as they were then. */
export interface ResendOrder {
  /** The replay that they are of; null for the live delivery of the session. */
  readonly of: { readonly runId: string; readonly speed: number } | null;
  /** The positions to send, rising. Snapshots among them have their numbers. */
  readonly positions: Uint32Array;
}

/** `stopped`: by its account. `expired`: the deliveries of its session took too long. */
export type StopReason = 'stopped' | 'expired';

export interface RunOrder {
  /** Of a resend: that of the run whose updates it sends again. */
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
  /** Of a replay that is handed over only to be stopped: the position behind all that was due before. */
  readonly end?: number;
  /**
   * True for the demo session: every active endpoint gets every feed, whatever its subscriptions, and usage counts its
   * attempts apart.
   */
  readonly allFeeds: boolean;
  /** Each endpoint gets one update at a time: the next one once the one before is settled, retries included. */
  readonly ordered?: boolean;
  /** A cell of the account (usage/allowance.ts), shared by all threads: that of the month, or that of the demo session. */
  readonly allowance: SharedArrayBuffer;
  readonly resend?: ResendOrder;
}
