// The calendar as it was a moment ago: clients ask for previews far more often than a calendar changes, and reading it takes
// longer than everything else of a preview that is remembered.

import { LRUCache } from 'lru-cache';
import type { CalendarStore, PlannedEvent } from '#api/calendar/calendar-store.ts';
import type { Clock } from '#engine/base/clock.ts';
import { CALENDAR_CACHE_MS, CALENDARS_CACHED_MAX } from '#engine/base/limits.ts';

export class CalendarCache implements Pick<CalendarStore, 'events'> {
  /** By season. */
  readonly #events: LRUCache<number, PlannedEvent[]>;

  constructor(store: Pick<CalendarStore, 'events'>, clock: Clock) {
    this.#events = new LRUCache({
      max: CALENDARS_CACHED_MAX,
      ttl: CALENDAR_CACHE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
      // Whoever waits for a season gets it, even if others have taken its place meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: (season) => store.events(season),
    });
  }

  events(season: number): Promise<PlannedEvent[]> {
    return this.#events.forceFetch(season);
  }
}
