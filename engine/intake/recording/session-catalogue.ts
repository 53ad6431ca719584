// What is known of the sessions that can be replayed.

import type { SessionDescription } from '#engine/racing/series/series.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface SessionEntry extends SessionDescription {
  readonly durationMs: number;
  readonly frameCount: number;
  readonly updateCount: number;
  /** Updates by feed; feeds without any are left out. */
  readonly feeds: Readonly<Partial<Record<FeedId, number>>>;
  readonly demo: boolean;
}

export interface SessionCatalogue {
  /** Adds the session or replaces its entry, if and only if `alongside` returns. */
  put(entry: SessionEntry, alongside: () => void): Promise<void>;
  find(sessionId: string): Promise<SessionEntry | null>;
  /** All sessions, the latest first. */
  list(): Promise<SessionEntry[]>;
}
