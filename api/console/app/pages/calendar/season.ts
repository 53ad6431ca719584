// What the calendar page works out of a season: what is next, what is live, and where each session leads.

import type { ListEventsAnswer } from '#api/client/calls.ts';
import { language } from '../../text/text.ts';
import { livePath } from '../theatre/replay-address.ts';

export type CalendarEvent = ListEventsAnswer['events'][number];
export type CalendarSession = CalendarEvent['sessions'][number];

export interface Held {
  readonly event: CalendarEvent;
  readonly session: CalendarSession;
}

type EventState = 'live' | 'upcoming' | 'finished' | 'cancelled';

/** All sessions of the season, by their start. */
export function sessionsOf(events: readonly CalendarEvent[]): readonly Held[] {
  return events
    .flatMap((event) => event.sessions.map((session) => ({ event, session })))
    .sort((a, b) => Date.parse(a.session.startDate) - Date.parse(b.session.startDate));
}

/** Null when no session is to come. */
export function nextOf(events: readonly CalendarEvent[]): Held | null {
  return sessionsOf(events).find(({ session }) => session.status === 'upcoming') ?? null;
}

export function liveOf(events: readonly CalendarEvent[]): readonly Held[] {
  return sessionsOf(events).filter(({ session }) => session.status === 'live');
}

/** An event is live while one of its sessions is, and to come until the last of them is over. */
export function eventState({ sessions }: CalendarEvent): EventState {
  const has = (status: EventState): boolean => sessions.some((session) => session.status === status);
  if (has('live')) return 'live';
  if (has('upcoming')) return 'upcoming';
  return has('finished') ? 'finished' : 'cancelled';
}

/** `Practice 2`: the number stands in the id alone. */
export function sessionName({ sessionId, type }: CalendarSession): string {
  const number = type === 'Practice' ? /-practice-(\d)$/.exec(sessionId)?.[1] : undefined;
  return number === undefined ? type : `${type} ${number}`;
}

export interface Links {
  readonly preview: string | null;
  /** Where the session plays: as it happens, or again. */
  readonly theatre: { readonly kind: 'live' | 'replay'; readonly path: string } | null;
  readonly fantasy: string | null;
}

/** `recorded`: ids of the sessions that can be replayed. */
export function linksOf({ event, session }: Held, recorded: ReadonlySet<string>): Links {
  const { sessionId, type, status } = session;
  const isRace = type === 'Race' || type === 'Sprint';
  const hasBegun = status === 'live' || status === 'finished';
  return {
    preview:
      type === 'Practice' || status === 'cancelled' ? null : `/console/calendar/${encodeURIComponent(sessionId)}`,
    theatre:
      status === 'live'
        ? { kind: 'live', path: livePath(sessionId) }
        : recorded.has(sessionId)
          ? { kind: 'replay', path: `/console/replay/${encodeURIComponent(sessionId)}` }
          : null,
    fantasy:
      isRace && hasBegun ? fantasyPath({ raceId: event.eventId, kind: type === 'Sprint' ? 'sprint' : 'race' }) : null,
  };
}

/** Events to come, the soonest first, and those that are over, the latest first. */
export function splitEvents(events: readonly CalendarEvent[]) {
  const isAhead = (event: CalendarEvent): boolean => ['live', 'upcoming'].includes(eventState(event));
  return { ahead: events.filter(isAhead), over: events.filter((event) => !isAhead(event)).reverse() };
}

export interface Scored {
  readonly raceId: string;
  readonly kind: 'race' | 'sprint';
}

/** Where the scores of a race are shown. */
export function fantasyPath({ raceId, kind }: Scored): string {
  return `/console/fantasy?${new URLSearchParams({ race: raceId, ...(kind === 'sprint' && { session: kind }) })}`;
}

/** The year of a season: of its first session. Null without one. */
export function seasonOf(events: readonly CalendarEvent[]): number | null {
  const first = sessionsOf(events)[0];
  return first === undefined ? null : new Date(first.session.startDate).getUTCFullYear();
}

const UTC = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** The time beside that of the viewer: `Sun 16:00 UTC`. */
export function utcText(at: string): string {
  return `${UTC.format(new Date(at)).replace(',', '')} UTC`;
}

const SEASON_MIN = 1950;
const SEASON_MAX = 2100;

/** A season from the address; null: the current one. */
export function seasonAsked(value: string | undefined): number | null {
  const year = Number(value);
  return Number.isInteger(year) && year >= SEASON_MIN && year <= SEASON_MAX ? year : null;
}
