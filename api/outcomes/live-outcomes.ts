// How the sessions that go on stand, as the thread that follows them told last: at most once a second each. A session is
// forgotten when it is over and its recording is in the catalogue, which tells its outcome from then on.

import { LRUCache } from 'lru-cache';
import { LIVE_OUTCOMES_CACHED_MAX } from '#engine/base/limits.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

export class LiveOutcomes {
  /** Room for those that have ended and are about to be forgotten as well. */
  readonly #outcomes = new LRUCache<string, SessionOutcome>({ max: LIVE_OUTCOMES_CACHED_MAX });

  tell(sessionId: string, outcome: SessionOutcome): void {
    this.#outcomes.set(sessionId, outcome);
  }

  forget(sessionId: string): void {
    this.#outcomes.delete(sessionId);
  }

  of(sessionId: string): SessionOutcome | null {
    return this.#outcomes.get(sessionId) ?? null;
  }
}
