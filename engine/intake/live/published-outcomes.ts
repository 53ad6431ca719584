// What was told last of how each session stands, so that it is told again only when it has changed.

import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

export class PublishedOutcomes {
  /** As text, by session id. */
  readonly #told = new Map<string, string>();

  /** Whether it is another than was told before; from then on it counts as told. */
  isNew(sessionId: string, outcome: SessionOutcome): boolean {
    const text = JSON.stringify(outcome);
    if (this.#told.get(sessionId) === text) return false;
    this.#told.set(sessionId, text);
    return true;
  }

  forget(sessionId: string): void {
    this.#told.delete(sessionId);
  }
}
