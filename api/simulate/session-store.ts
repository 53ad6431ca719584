// Where recorded sessions, and which of them an account has unlocked, are kept.

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
  /** Sessions that hold one of the account's slots, in the order in which they were unlocked. */
  unlocked(accountId: string): Promise<string[]>;
  /** Takes a slot; nothing happens when the session holds one. */
  unlock(accountId: string, sessionId: string, now: Date): Promise<void>;
}
