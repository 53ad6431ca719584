// Random filters over random sessions, checked against a model that follows the documented rules name by name, without
// the masks of the engine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import { parseFilters } from '#engine/delivery/filter/filter-parser.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { type SmallUpdate, smallTimeline } from '#test/support/timelines.ts';
import { damagedJson } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const FEED_IDS = ['timing.data', 'events.race', 'lap.count', 'tire.stints'] as const;
const CODES = ['VER', 'HAM', 'ALO', 'ZHO', 'MAG'];
const TEAMS = ['Red Bull Racing', 'Haas F1 Team', 'Škoda Škuderia', 'Équipe ＡＢＣ', '', '—'];
const NUMBERS = Array.from({ length: 64 }, (_, index) => String(index + 1));

/** Filters as a client could send them, before any check. Most are valid. */
const given: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: filters(), weight: 5 },
  filters().chain((valid) => damagedJson(JSON.stringify(valid)).map((json) => JSON.parse(json))),
);

function filters(): fc.Arbitrary<FilterSpec> {
  const list = (...values: readonly string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
  const keys = {
    drivers: list(...CODES, 'ver', 'Nob'),
    driverNumbers: list(...NUMBERS.slice(0, 12), '40', '0', '999'),
    constructors: list('redbull', 'RED bull', 'haas', 'skoda', 'abc', 'f1', 'équipe', 'nobody', 'a'),
    positions: fc.record(
      { min: fc.integer({ min: 1, max: 20 }), max: fc.integer({ min: 5, max: 99 }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    eventTypes: list('overtake', 'pit_entry', 'safety_car_deployed'),
  };
  // More than two keys match almost nothing.
  return fc.subarray(Object.keys(keys) as (keyof typeof keys)[], { maxLength: 2 }).chain((chosen) => {
    const some = Object.fromEntries(chosen.map((key) => [key, keys[key]]));
    return fc.record(some as typeof keys, { noNullPrototype: true });
  });
}

const anyNumber = fc.oneof(fc.constantFrom(...NUMBERS.slice(0, 12)), fc.constantFrom(...NUMBERS));
const driver = fc.record({
  number: anyNumber,
  tla: fc.constantFrom(...CODES, ''),
  team: fc.constantFrom(...TEAMS),
});
const update: fc.Arbitrary<SmallUpdate> = fc.record(
  {
    dueMs: fc.constant(0),
    feed: fc.constantFrom('timing.data', ...FEED_IDS),
    touched: fc.uniqueArray(fc.record({ number: anyNumber, position: fc.integer({ min: 0, max: 40 }) }), {
      maxLength: 6,
      selector: ({ number }) => number,
    }),
    roster: fc.uniqueArray(driver, { maxLength: 40, size: '+1', selector: ({ number }) => number }),
  },
  { requiredKeys: ['dueMs', 'feed'], noNullPrototype: true },
);
const updates = fc
  .tuple(
    fc.array(update, { minLength: 1, maxLength: 25 }),
    fc.infiniteStream(fc.constantFrom('overtake', 'pit_entry', ...RACE_EVENT_TYPES)),
  )
  .map(([all, types]) => {
    return all.map((one) => (one.feed === 'events.race' ? { ...one, eventType: types.next().value! } : one));
  });

const letters = (text: string): string =>
  [...text.normalize('NFKD').toLowerCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter)).join('');

interface Known {
  readonly number: string;
  readonly tla: string;
  readonly team: string;
}

/** Whether the endpoint gets an update, by the documented rules alone. `known` holds the drivers known by then. */
function isWanted(one: SmallUpdate, known: ReadonlyMap<string, Known>, specs: readonly FilterSpec[]): boolean {
  if (one.feed === 'events.race' && specs.some(({ eventTypes }) => eventTypes?.includes(one.eventType!) === false)) {
    return false;
  }
  const keyed = specs.some((spec) => spec.drivers ?? spec.driverNumbers ?? spec.constructors ?? spec.positions);
  if (!keyed || !FEEDS.find(({ feedId }) => feedId === one.feed)!.perDriver) return true;
  return (one.touched ?? []).some(({ number, position }) => {
    const { tla, team } = known.get(number) ?? { tla: null, team: null };
    const unknown = tla === null;
    return specs.every(
      ({ drivers, driverNumbers, constructors, positions }) =>
        (drivers === undefined || (tla !== null && drivers.includes(tla))) &&
        (driverNumbers === undefined || (!unknown && driverNumbers.includes(number))) &&
        (constructors === undefined ||
          (team !== null && constructors.some((word) => letters(team).includes(letters(word))))) &&
        (positions === undefined || (position >= (positions.min ?? 1) && position <= (positions.max ?? 99))),
    );
  });
}

function wantedOf(all: readonly SmallUpdate[], specs: readonly FilterSpec[]): number[] {
  const known = new Map<string, Known>();
  return all.flatMap((one, position) => {
    for (const entry of one.roster ?? []) known.set(entry.number, entry);
    return isWanted(one, known, specs) ? [position] : [];
  });
}

function matchedOf(timeline: Timeline, order: readonly number[], wide: FilterSpec, own: FilterSpec): number[] {
  const subscriptions = FEED_IDS.map((feedId) => ({ feedId, filters: own, active: true }));
  const filter = new CompiledFilter(endpointSettings({ filters: wide, subscriptions }), { allFeeds: false }, timeline);
  return order.filter((position) => filter.matches(position)).sort((a, b) => a - b);
}

test('every filter that the parser accepts matches as documented, in any order of evaluation', (t) => {
  const cases = new Cases(t, 'filters');
  const matches = new Cases(t, 'updates matched');
  fc.assert(
    fc.property(updates, given, given, fc.boolean(), (all, wideText, ownText, backwards) => {
      const [wide, own] = [wideText, ownText].map((value) => {
        const parsed = parseFilters(value, { scope: 'endpoint', feedIds: FEED_IDS });
        if ('ok' in parsed) return parsed.ok;
        assert.ok(parsed.violations.length > 0 && parsed.violations.every((violation) => violation.length < 2_000));
        return null;
      });
      cases.add(wide && own ? 'taken' : 'refused');
      if (!wide || !own) return;
      const timeline = smallTimeline(all);
      const order = Array.from({ length: timeline.length }, (_, position) => position);
      const wanted = wantedOf(all, [wide, own]);
      for (const _ of wanted) matches.add();
      assert.deepEqual(matchedOf(timeline, backwards ? order.toReversed() : order, wide, own), wanted);
    }),
    fuzzRuns(600),
  );
});
