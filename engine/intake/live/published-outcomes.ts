// The outcome last published for each session, so that only changes are published.

import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

export class PublishedOutcomes {
  /** Outcomes as JSON text, by session id. */
  readonly #published = new Map<string, string>();

  /** Whether the outcome differs from the last one. Records it as published. */
  isNew(sessionId: string, outcome: SessionOutcome): boolean {
    const text = JSON.stringify(outcome);
    if (this.#published.get(sessionId) === text) return false;
    this.#published.set(sessionId, text);
    return true;
  }

  forget(sessionId: string): void {
    this.#published.delete(sessionId);
  }
}
