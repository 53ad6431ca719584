// The catalogue of sessions that can be replayed.

import type { SessionDescription } from '#engine/racing/series/series.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface SessionEntry extends SessionDescription {
  readonly durationMs: number;
  readonly frameCount: number;
  readonly updateCount: number;
  /** Number of updates by feed, without feeds that have none. */
  readonly feeds: Readonly<Partial<Record<FeedId, number>>>;
  readonly demo: boolean;
}

export interface SessionCatalogue {
  /** Adds the session or replaces its entry. Commits only if `alongside`, which runs in the transaction, returns. */
  put(entry: SessionEntry, alongside: () => void): Promise<void>;
  find(sessionId: string): Promise<SessionEntry | null>;
  /** All sessions, the latest first. */
  list(): Promise<SessionEntry[]>;
}
