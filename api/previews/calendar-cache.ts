// Caches the calendar for a moment. Previews are requested far more often than a calendar changes, and reading the
// calendar takes longer than the rest of a request whose forecast is cached.

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
      // A caller that waits for a season gets it, even if the entry is evicted meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: (season) => store.events(season),
    });
  }

  events(season: number): Promise<PlannedEvent[]> {
    return this.#events.forceFetch(season);
  }
}
