// The store of recorded sessions, and of which ones each account has unlocked.

export interface SessionRecord {
  readonly sessionId: string;
  readonly seriesId: string;
  readonly name: string;
  readonly type: string;
  readonly circuitName: string;
  readonly season: number;
  readonly startAt: Date;
  readonly durationMs: number;
  readonly updateCount: number;
  readonly demo: boolean;
}

export interface ListedSession extends SessionRecord {
  /** Whether this account holds a slot for it. */
  readonly unlocked: boolean;
}

export interface SessionStore {
  /** The demo session first, then the newest. */
  list(accountId: string, limit: number, offset: number): Promise<ListedSession[]>;
  count(): Promise<number>;
  find(sessionId: string): Promise<SessionRecord | null>;
  /** Ids of the sessions that the account has unlocked, oldest first. */
  unlocked(accountId: string): Promise<string[]>;
  /**
   * Takes a slot, unless the session is unlocked already. False, and nothing is taken, if the account has as many already,
   * with the one that its replay in progress takes.
   */
  takeSlot(accountId: string, sessionId: string, slots: number, now: Date): Promise<boolean>;
  /** Takes a slot, unless the session is unlocked already. */
  unlock(accountId: string, sessionId: string, now: Date): Promise<void>;
}
