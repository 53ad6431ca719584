// The phase of a session, from the upstream's status words, which the series lists in its facts.

import type { SessionFacts } from './session-facts.ts';

/** Upcoming: not started. Live: running or interrupted. Finished: over, except for corrections. */
export type SessionPhase = 'upcoming' | 'live' | 'finished';

/** Returns the phase. A session without a known status counts as live. */
export function sessionPhase(status: unknown, { upcoming, over }: SessionFacts['status']): SessionPhase {
  if (upcoming.includes(status as string)) return 'upcoming';
  return over.includes(status as string) ? 'finished' : 'live';
}
