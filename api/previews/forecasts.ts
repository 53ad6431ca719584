// Who works out what the models expect of a weekend. It takes a good part of a second of a core, so the real one
// (workers/tasks/piscina-forecasts.ts) has a thread of its own for it, behind what is remembered (forecast-cache.ts).

import type { RaceKind } from '#engine/racing/race-kind.ts';
import type { WeekendPreview } from './weekend-preview.ts';

export interface PreviewQuestion {
  /** The history that is asked, by its digest. */
  readonly release: string;
  readonly eventId: string;
  readonly race: RaceKind;
  /** Slugs of drivers, the first place first. Null: as the history knows it, if it does; empty: not known yet. */
  readonly grid: readonly string[] | null;
}

export interface Forecasts {
  /**
   * Null when the history has no such race. From a newer release than asked for when there is one by now; the preview
   * says which it is from. Refuses with `unavailable` when too much is asked at once, or the database is away.
   */
  of(question: PreviewQuestion): Promise<WeekendPreview | null>;
}
