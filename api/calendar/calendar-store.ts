// Where the race calendar is kept.

import type { SessionType } from '#engine/racing/session-slug.ts';
import type { SeasonCalendar } from '#engine/seasons/calendar/season-calendar.ts';
import type { SeasonRevision } from '#engine/seasons/calendar/season-revision.ts';

export interface PlannedSession {
  readonly sessionId: string;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
  /** When the recording of it ends; null when there is none. */
  readonly recordedToUtcMs: number | null;
  /** Whether a newer calendar no longer has it. */
  readonly cancelled: boolean;
}

export interface PlannedEvent {
  readonly eventId: string;
  readonly name: string;
  readonly circuitName: string;
  readonly round: number;
  /** By their start. */
  readonly sessions: readonly PlannedSession[];
}

export interface CalendarStore {
  /** The events of a season by their first session; one without any stands where its round puts it. */
  events(season: number): Promise<PlannedEvent[]>;
  /** Puts a newer calendar in the place of what its seasons had, all or nothing; answers what became of what it lacks. */
  revise(calendar: SeasonCalendar, nowMs: number): Promise<SeasonRevision>;
}
