// Forecasts of race weekends. One takes a good part of a second of a core, so the service computes them on a separate
// thread (workers/tasks/piscina-forecasts.ts), behind a cache (forecast-cache.ts).

import type { RaceKind } from '#engine/racing/race-kind.ts';
import type { WeekendPreview } from './weekend-preview.ts';

export interface PreviewQuestion {
  /** Digest of the race history. */
  readonly release: string;
  readonly eventId: string;
  readonly race: RaceKind;
  /** Slugs of the drivers, pole position first. Null: use the history's grid, if it has one. Empty: not known yet. */
  readonly grid: readonly string[] | null;
}

export interface Forecasts {
  /**
   * Resolves with null if the history has no such race. Uses a newer release if one was imported meanwhile; the preview
   * names the release. Rejects with `unavailable` if too many questions are waiting, or the database cannot be reached.
   */
  of(question: PreviewQuestion): Promise<WeekendPreview | null>;
}
