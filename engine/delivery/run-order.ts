// What a run is: one session's updates on their way to the endpoints of one account, live or replayed.

/** Live delivery of a session, or a replay of it; the two share nothing but the settings of endpoints. */
export type RunMode = 'live' | 'replay';

/** Of a delivery: a test belongs to no run. */
export type DeliveryMode = RunMode | 'test';

/** By its account, or because a session's deliveries took too long. */
export type StopReason = 'stopped' | 'expired';

export interface RunOrder {
  readonly mode: RunMode;
  readonly runId: string;
  readonly runNo: number;
  readonly sessionId: string;
  readonly accountId: string;
  /** Of a complete timeline. Infinity plays everything at once: what is left of a live session, or a bench. */
  readonly speed: number;
  /** Unix epoch milliseconds at which position 0 of a complete timeline is due. */
  readonly startedAtMs: number;
  /** The demo session: every feed to every active endpoint, whatever its subscriptions. */
  readonly allFeeds: boolean;
  /** The account's cell (usage/allowance.ts), shared by all threads. */
  readonly allowance: SharedArrayBuffer;
}
