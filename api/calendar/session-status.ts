// The status of a planned session. It follows from the schedule and the clock, unless there is better evidence: the
// live source, which sees late starts and races that resume past their scheduled end, or a recording, which exists once
// a session is over.
//
// A session is cancelled if it is missing from the latest calendar of its season
// (engine/seasons/calendar/season-revision.ts) and neither a live source nor a recording shows that it was held. A live
// source that waits for the session is no such evidence. Nor is one that sees it end without a start: the source may
// have been disconnected during the session.
//
// A postponed session can have a recording of the day on which it was not held. Such a recording says nothing about the
// new day.

import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { PlannedSession } from './calendar-store.ts';

export type SessionStatus = 'upcoming' | 'live' | 'finished' | 'cancelled';

/** A recording that ended longer than this before the scheduled start belongs to an earlier, abandoned date. */
const EARLIER_DATE_MS = 6 * 3_600_000;

/** `phase` comes from the live source; null if it does not follow this session. */
export function sessionStatus(session: PlannedSession, nowMs: number, phase: SessionPhase | null): SessionStatus {
  const { startUtcMs, endUtcMs, recordedToUtcMs, cancelled } = session;
  const recorded = recordedToUtcMs !== null && recordedToUtcMs > startUtcMs - EARLIER_DATE_MS;
  if (phase === 'live' || phase === 'finished') return phase;
  if (cancelled && !recorded) return 'cancelled';
  if (phase !== null) return phase;
  if (recorded || nowMs >= endUtcMs) return 'finished';
  return nowMs < startUtcMs ? 'upcoming' : 'live';
}
