// The recorded sessions, and which of them a search and filters leave.

import type { ListEventsAnswer, Session } from '#api/client/calls.ts';
import { service } from '../../../data/service.ts';

const PAGE = 100;
/** Sessions that the page loads: some ten seasons. */
const SESSIONS_MAX = 2_000;

export interface SessionFilter {
  readonly search: string;
  /** Empty: all. */
  readonly season: string;
  readonly place: string;
  readonly kind: string;
}

export const NO_FILTER: SessionFilter = { search: '', season: '', place: '', kind: '' };

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

export function matching(sessions: readonly Session[], filter: SessionFilter): readonly Session[] {
  const { season, place, kind } = filter;
  const words = plain(filter.search).split(/\s+/);
  return sessions.filter((session) => {
    if (season !== '' && String(session.season) !== season) return false;
    if (place !== '' && session.circuitName !== place) return false;
    if (kind !== '' && session.type !== kind) return false;
    const { name, type, circuitName, sessionId } = session;
    const said = plain(`${name} ${type} ${circuitName} ${session.season} ${sessionId}`);
    return words.every((word) => said.includes(word));
  });
}

/** What can be chosen of each filter. */
export function choices(sessions: readonly Session[]) {
  return {
    seasons: [...new Set(sessions.map(({ season }) => season))].sort((a, b) => b - a).map(String),
    places: [...new Set(sessions.map(({ circuitName }) => circuitName))].sort((a, b) => a.localeCompare(b)),
    kinds: [...new Set(sessions.map(({ type }) => type))].sort((a, b) => a.localeCompare(b)),
  };
}

export interface LiveSession {
  readonly sessionId: string;
  readonly name: string;
  readonly circuitName: string;
}

/** Of the present season's calendar. */
export function liveSessions({ events }: ListEventsAnswer): readonly LiveSession[] {
  return events.flatMap(({ name, circuitName, sessions }) =>
    sessions
      .filter(({ status }) => status === 'live')
      .map(({ sessionId, type }) => ({ sessionId, name: `${name} · ${type}`, circuitName })),
  );
}

/** Without accents and capitals: `sao paulo` finds São Paulo. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
