// What is folded. Apart from what draws it, so that it can be tested without a browser.

/** An update as the theatre shows it. */
export interface ShownUpdate {
  readonly feed: string;
  readonly sequence: number;
  readonly sessionId: string;
  /** Milliseconds since 1970 of the payload's utc. */
  readonly atMs: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** What a panel makes of the updates. Nothing is drawn here. Bounded. */
export interface Fold {
  /** Before the first update, and after a seek back. */
  reset(): void;
  take(update: ShownUpdate): void;
}
