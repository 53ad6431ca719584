// The race calendar as it is imported, whatever it was read from.

import type { SessionType } from '#engine/racing/session-slug.ts';

const MINUTE_MS = 60_000;

/** How long a session of each type is planned for, where its source names no end. */
export const PLANNED_MS: Readonly<Record<SessionType, number>> = {
  Practice: 60 * MINUTE_MS,
  Qualifying: 60 * MINUTE_MS,
  'Sprint Qualifying': 44 * MINUTE_MS,
  Sprint: 60 * MINUTE_MS,
  Race: 120 * MINUTE_MS,
};

/** The day of a moment in UTC, such as `2026-05-03`. */
export function dayOf(utcMs: number): string {
  return new Date(utcMs).toISOString().slice(0, 10);
}

export interface CalendarSession {
  readonly sessionId: string;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
}

/** A session that the source mentions without all that a calendar needs. That it is not planned cannot be said of it. */
export interface VagueSession {
  /** Null when it has no name. */
  readonly sessionId: string | null;
  /** `2026-05-03`, in UTC. */
  readonly day: string;
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
  readonly vague: readonly VagueSession[];
}

export interface SeasonCalendar {
  readonly events: readonly CalendarEvent[];
  /** Whether it has every race of its seasons, those to come and those long past. If not, it is silent about some of them. */
  readonly complete: boolean;
  /** What the source holds and the calendar leaves out, a sentence each. */
  readonly leftOut: readonly string[];
}
