// The store of the race calendar.

import type { SessionType } from '#engine/racing/session-slug.ts';
import type { SeasonCalendar } from '#engine/seasons/calendar/season-calendar.ts';
import type { SeasonRevision } from '#engine/seasons/calendar/season-revision.ts';

export interface PlannedSession {
  readonly sessionId: string;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
  /** The end of its recording; null if there is none. */
  readonly recordedToUtcMs: number | null;
  /** Whether it is missing from the latest calendar. */
  readonly cancelled: boolean;
}

export interface PlannedEvent {
  readonly eventId: string;
  readonly name: string;
  readonly circuitName: string;
  readonly round: number;
  /** Ordered by start. */
  readonly sessions: readonly PlannedSession[];
}

export interface CalendarStore {
  /**
   * The events of a season, ordered by their first session. An event without sessions stands where its round puts it.
   */
  events(season: number): Promise<PlannedEvent[]>;
  /**
   * Replaces the seasons of a newer calendar, atomically. Resolves with what happened to the sessions that it lacks.
   */
  revise(calendar: SeasonCalendar, nowMs: number): Promise<SeasonRevision>;
}
