// How far a session is, in the words of its upstream, which a table of the series lists.

import type { SessionFacts } from './session-facts.ts';

/** Not begun, running or interrupted, or over but for corrections. */
export type SessionPhase = 'upcoming' | 'live' | 'finished';

/** What goes on and says nothing of it is live. */
export function sessionPhase(status: unknown, { upcoming, over }: SessionFacts['status']): SessionPhase {
  if (upcoming.includes(status as string)) return 'upcoming';
  return over.includes(status as string) ? 'finished' : 'live';
}
