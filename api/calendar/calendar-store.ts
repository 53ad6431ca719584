// Where the race calendar is kept.

import type { CalendarEvent } from '#engine/calendar/season-calendar.ts';
import type { SessionType } from '#engine/session/session-slug.ts';

export interface PlannedSession {
  readonly sessionId: string;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
  /** Whether there is a recording of it. */
  readonly recorded: boolean;
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
  /** The events of a season by their round. */
  events(season: number): Promise<PlannedEvent[]>;
  /** Puts these events in the place of all that their seasons had, all or nothing. */
  replace(events: readonly CalendarEvent[]): Promise<void>;
}
