// Which sessions a search and filters leave, and which ones are live.

import type { ListEventsAnswer, Session } from '#api/client/calls.ts';

export interface SessionFilter {
  readonly search: string;
  /** Empty: all. */
  readonly season: string;
  readonly place: string;
  readonly kind: string;
}

export const NO_FILTER: SessionFilter = { search: '', season: '', place: '', kind: '' };

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
  /** Null: the calendar does not have the session. */
  readonly circuitName: string | null;
}

/** Of the present season's calendar; then those that the service follows besides, under their ids. */
export function liveSessions({ events }: ListEventsAnswer, followed: readonly string[]): readonly LiveSession[] {
  const planned = events.flatMap(({ name, circuitName, sessions }) =>
    sessions
      .filter(({ status }) => status === 'live')
      .map(({ sessionId, type }) => ({ sessionId, name: `${name} · ${type}`, circuitName })),
  );
  const others = followed.filter((id) => !planned.some(({ sessionId }) => sessionId === id));
  return [...planned, ...others.map((sessionId) => ({ sessionId, name: sessionId, circuitName: null }))];
}

/** Without accents and capitals: `sao paulo` finds São Paulo. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
