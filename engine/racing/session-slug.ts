// The ids of events and sessions: slugs of year, place and kind. Recordings and the calendar share them, so an
// announced session and its later replay have the same id.

import { slugOf } from './slug.ts';

/** The series that these ids belong to. */
export const SERIES_ID = 'f1';

export type SessionType = 'Race' | 'Sprint' | 'Qualifying' | 'Sprint Qualifying' | 'Practice';

/** Grands prix whose name differs from that of their place. The ids of all others use their name. */
const PLACES: Readonly<Record<string, string>> = {
  australian: 'australia',
  austrian: 'austria',
  belgian: 'belgium',
  brazilian: 'brazil',
  british: 'britain',
  canadian: 'canada',
  chinese: 'china',
  dutch: 'netherlands',
  french: 'france',
  german: 'germany',
  hungarian: 'hungary',
  indian: 'india',
  italian: 'italy',
  japanese: 'japan',
  korean: 'korea',
  malaysian: 'malaysia',
  mexican: 'mexico',
  'mexico-city': 'mexico',
  portuguese: 'portugal',
  russian: 'russia',
  'saudi-arabian': 'saudi-arabia',
  spanish: 'spain',
  styrian: 'styria',
  turkish: 'turkey',
  tuscan: 'tuscany',
};

/** `2018-azerbaijan` for the Azerbaijan Grand Prix of 2018. */
export function eventIdOf(season: number, grandPrix: string): string {
  const called = slugOf(grandPrix.replace(/ grand prix$/i, ''));
  return `${season}-${Object.hasOwn(PLACES, called) ? PLACES[called] : called}`;
}

/**
 * Uses the type, because names have changed over the years ("Sprint Shootout"). Practice uses the name: it has a
 * number.
 */
export function sessionIdOf(eventId: string, type: SessionType, name: string): string {
  return `${eventId}-${slugOf(type === 'Practice' ? name : type)}`;
}

/** The event of a session's id; null if the id has another form. */
export function eventIdOfSession(sessionId: string): string | null {
  return /^(\d{4}-[a-z0-9-]+?)-(race|sprint|qualifying|sprint-qualifying|practice-\d)$/.exec(sessionId)?.[1] ?? null;
}

/** From the upstream's type and name; null if it is no session of a race weekend, such as the test of a new track. */
export function sessionTypeOf(type: string | null, name: string | null): SessionType | null {
  const sprint = /sprint/i.test(name ?? '');
  switch (type) {
    case 'Race':
      return name === 'Race' ? 'Race' : sprint ? 'Sprint' : null;
    case 'Qualifying':
      return name === 'Qualifying' ? 'Qualifying' : sprint ? 'Sprint Qualifying' : null;
    case 'Practice':
      return 'Practice';
    default:
      return null;
  }
}
