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
  /** No update of its own, but what all updates of its feed before a place leave behind. */
  readonly isState?: true;
}

/** What a panel makes of the updates. Nothing is drawn here. Bounded. */
export interface Fold {
  /** Before the first update, and after a move back of a show whose fold cannot rewind. */
  reset(): void;
  /** The show moves back: keeps what was known at this time. The states of the place follow. */
  rewind?(toMs: number): void;
  take(update: ShownUpdate): void;
}
