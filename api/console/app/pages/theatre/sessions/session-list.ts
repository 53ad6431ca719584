// The recorded sessions, loaded page by page, and those that are live.

import type { ListEventsAnswer, Session } from '#api/client/calls.ts';
import { ask, service } from '../../../data/service.ts';
import { type LiveSession, liveSessions } from './session-matches.ts';

const PAGE = 100;
/** Sessions that the page loads: some ten seasons. */
const SESSIONS_MAX = 2_000;

export async function loadSessions(signal: AbortSignal): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (;;) {
    const page = await service.listSessions({ limit: PAGE, offset: sessions.length }, { signal });
    sessions.push(...page.sessions);
    if (page.sessions.length === 0 || sessions.length >= Math.min(page.total, SESSIONS_MAX)) return sessions;
  }
}

/** Null: there is none with this id. */
export async function findSession(sessionId: string, signal: AbortSignal): Promise<Session | null> {
  for (let offset = 0; offset < SESSIONS_MAX; offset += PAGE) {
    const { sessions, total } = await service.listSessions({ limit: PAGE, offset }, { signal });
    const found = sessions.find((session) => session.sessionId === sessionId);
    if (found !== undefined) return found;
    if (offset + PAGE >= total) return null;
  }
  return null;
}

/** What the calendar of the season has, and what is live, also of that which it does not have. */
export interface Present {
  readonly events: ListEventsAnswer['events'];
  readonly live: readonly LiveSession[];
}

export async function loadPresent(signal: AbortSignal): Promise<Present> {
  const [calendar, { data }] = await Promise.all([
    service.listEvents({}, { signal }),
    ask<{ readonly data: { readonly sessionIds: readonly string[] } }>('GET', '/console/live'),
  ]);
  return { events: calendar.events, live: liveSessions(calendar, data.sessionIds) };
}
