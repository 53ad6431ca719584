// How far a planned session is. The plan and the clock tell, until somebody knows better: the live source, which sees late
// starts and races that are stopped and go on past their planned end, or a recording, which exists once a session is over.

import type { PlannedSession } from './calendar-store.ts';

export type SessionStatus = 'upcoming' | 'live' | 'finished';

/** What the live source knows of the session that it follows. */
export interface LiveSession {
  readonly sessionId: string;
  readonly state: 'live' | 'ended';
}

export function sessionStatus(session: PlannedSession, nowMs: number, live: LiveSession | null): SessionStatus {
  if (live?.sessionId === session.sessionId) return live.state === 'live' ? 'live' : 'finished';
  if (session.recorded || nowMs >= session.endUtcMs) return 'finished';
  return nowMs < session.startUtcMs ? 'upcoming' : 'live';
}
