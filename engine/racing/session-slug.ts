// What events and sessions are called: slugs of year, place and kind, the same in a recording and in the calendar, so that
// a session that was announced is the one that is replayed later.

import { slugOf } from './slug.ts';

/** The series whose events and sessions are called so. */
export const SERIES_ID = 'f1';

export type SessionType = 'Race' | 'Sprint' | 'Qualifying' | 'Sprint Qualifying' | 'Practice';

/** Grands prix whose name is not that of their place. All others are called by their name. */
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

/** What a session is called has changed over the years ("Sprint Shootout"); its type has not. Practice has a number. */
export function sessionIdOf(eventId: string, type: SessionType, name: string): string {
  return `${eventId}-${slugOf(type === 'Practice' ? name : type)}`;
}

/** From the upstream's type and name; null for what is no session of a race weekend, such as a test of a new track. */
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
