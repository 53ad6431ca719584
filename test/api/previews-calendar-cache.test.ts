import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlannedEvent } from '#api/calendar/calendar-store.ts';
import { CalendarCache } from '#api/previews/calendar-cache.ts';
import { CALENDAR_CACHE_MS, CALENDARS_CACHED_MAX } from '#engine/base/limits.ts';

test('callers share one read of a season within the TTL, and the season is read again after it', async () => {
  let nowMs = 1_000;
  const read: number[] = [];
  const store = {
    async events(season: number): Promise<PlannedEvent[]> {
      read.push(season);
      return [];
    },
  };
  const calendar = new CalendarCache(store, { nowMs: () => nowMs, wallMs: () => 0 });
  await Promise.all([calendar.events(2026), calendar.events(2026), calendar.events(2025)]);
  nowMs += CALENDAR_CACHE_MS - 1;
  await calendar.events(2026);
  assert.deepEqual(read, [2026, 2025]);
  nowMs += 2;
  await calendar.events(2026);
  assert.deepEqual(read, [2026, 2025, 2026]);
});

test('a failed read of a season is not cached', async () => {
  let away = true;
  const store = {
    async events(): Promise<PlannedEvent[]> {
      if (away) throw new Error('the database is away');
      return [];
    },
  };
  const calendar = new CalendarCache(store, { nowMs: () => 1_000, wallMs: () => 0 });
  await assert.rejects(calendar.events(2026), /the database is away/);
  away = false;
  assert.deepEqual(await calendar.events(2026), []);
});

test('a caller that waits for a season gets it, however many other seasons are requested meanwhile', async () => {
  const store = { events: async (season: number) => [{ season } as unknown as PlannedEvent] };
  const calendar = new CalendarCache(store, { nowMs: () => 1_000, wallMs: () => 0 });
  const seasons = Array.from({ length: 3 * CALENDARS_CACHED_MAX }, (_, index) => 1950 + index);
  const answers = await Promise.all(seasons.map((season) => calendar.events(season)));
  assert.deepEqual(
    answers,
    seasons.map((season) => [{ season }]),
  );
});
