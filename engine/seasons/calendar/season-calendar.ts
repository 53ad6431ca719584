// The race calendar as imported, the same for every source.

import type { SessionType } from '#engine/racing/session-slug.ts';

const MINUTE_MS = 60_000;

/** The planned length of each type of session, for sources without end times. */
export const PLANNED_MS: Readonly<Record<SessionType, number>> = {
  Practice: 60 * MINUTE_MS,
  Qualifying: 60 * MINUTE_MS,
  'Sprint Qualifying': 44 * MINUTE_MS,
  Sprint: 60 * MINUTE_MS,
  Race: 120 * MINUTE_MS,
};

/** The UTC day of a time, such as `2026-05-03`. */
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

/**
 * A session that the source mentions without a time or a name. It may still be planned, so it must not count as
 * cancelled.
 */
export interface VagueSession {
  /** Null: the session has no name. */
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
  /** Whether it has every race of its seasons, past and future. If not, a missing race means nothing. */
  readonly complete: boolean;
  /** What the source holds and the calendar leaves out, one line each. */
  readonly leftOut: readonly string[];
}
