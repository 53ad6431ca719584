// The latest outcomes of live sessions. The live thread publishes each at most once a second. A session is removed when
// it is over and its recording is in the catalogue; its outcome comes from the recording from then on.

import { LRUCache } from 'lru-cache';
import { LIVE_OUTCOMES_CACHED_MAX } from '#engine/base/limits.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

export class LiveOutcomes {
  /** Also has room for sessions that have ended but are not removed yet. */
  readonly #outcomes = new LRUCache<string, SessionOutcome>({ max: LIVE_OUTCOMES_CACHED_MAX });

  set(sessionId: string, outcome: SessionOutcome): void {
    this.#outcomes.set(sessionId, outcome);
  }

  forget(sessionId: string): void {
    this.#outcomes.delete(sessionId);
  }

  of(sessionId: string): SessionOutcome | null {
    return this.#outcomes.get(sessionId) ?? null;
  }
}
