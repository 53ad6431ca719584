// The race calendar as it is imported, whatever it was read from.

import type { SessionType } from '#engine/session/session-slug.ts';

const MINUTE_MS = 60_000;

/** How long a session of each type is planned for, where its source names no end. */
export const PLANNED_MS: Readonly<Record<SessionType, number>> = {
  Practice: 60 * MINUTE_MS,
  Qualifying: 60 * MINUTE_MS,
  'Sprint Qualifying': 44 * MINUTE_MS,
  Sprint: 60 * MINUTE_MS,
  Race: 120 * MINUTE_MS,
};

export interface CalendarSession {
  readonly sessionId: string;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
}

export interface CalendarEvent {
  /** `2018-azerbaijan`; the ids of its sessions begin with it. */
  readonly eventId: string;
  readonly seriesId: string;
  readonly season: number;
  readonly round: number;
  readonly name: string;
  readonly circuitName: string;
  readonly sessions: readonly CalendarSession[];
}

export interface SeasonCalendar {
  readonly events: readonly CalendarEvent[];
  /** What the source holds and the calendar leaves out, a sentence each. */
  readonly leftOut: readonly string[];
}
