// How far a planned session is. The plan and the clock tell, until somebody knows better: the live source, which sees late
// starts and races that are stopped and go on past their planned end, or a recording, which exists once a session is over.
//
// A session is cancelled when a newer calendar of its season no longer has it (engine/seasons/calendar/season-revision.ts), and
// nobody has seen it. That a live source waits for it does not contradict; that one sees it end without a start is no
// proof, for it may have been away meanwhile.
//
// A session that was put off to another day can have a recording of the day on which it did not come about. That one says
// nothing of the day to come.

import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { PlannedSession } from './calendar-store.ts';

export type SessionStatus = 'upcoming' | 'live' | 'finished' | 'cancelled';

/** A recording that ended longer than this before the planned start is of an earlier try. */
const EARLIER_TRY_MS = 6 * 3_600_000;

/** `phase` is what the live source says of this very session; null when it does not follow it. */
export function sessionStatus(session: PlannedSession, nowMs: number, phase: SessionPhase | null): SessionStatus {
  const { startUtcMs, endUtcMs, recordedToUtcMs, cancelled } = session;
  const recorded = recordedToUtcMs !== null && recordedToUtcMs > startUtcMs - EARLIER_TRY_MS;
  if (phase === 'live' || phase === 'finished') return phase;
  if (cancelled && !recorded) return 'cancelled';
  if (phase !== null) return phase;
  if (recorded || nowMs >= endUtcMs) return 'finished';
  return nowMs < startUtcMs ? 'upcoming' : 'live';
}
