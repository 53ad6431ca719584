// Filters over a live session: known drivers and positions are those at the moment of each update.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { type SmallUpdate, smallTimeline } from '#test/support/timelines.ts';

const SCOPE = { allFeeds: false };
const GRID = [
  { number: '1', tla: 'VER', team: 'Red Bull Racing' },
  { number: '44', tla: 'HAM', team: 'Mercedes' },
  { number: '20', tla: 'MAG', team: 'Haas F1 Team' },
];

function withFilters(filters: FilterSpec): EndpointSettings {
  const subscriptions = ['timing.data', 'lap.count', 'events.race'].map((feedId) => ({
    feedId,
    filters,
    active: true,
  }));
  return endpointSettings({ subscriptions });
}

/** A filter that lives as long as the session, as an actor's does. */
function follow(filters: FilterSpec) {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  const filter = new CompiledFilter(withFilters(filters), SCOPE, reader.timeline);
  let next = 0;
  return (...updates: Partial<SmallUpdate>[]): boolean[] => {
    live.publish(updates);
    reader.refresh();
    const matches: boolean[] = [];
    for (; next < reader.timeline.length; next++) matches.push(filter.matches(next));
    return matches;
  };
}

const car = (number: string, position = 1): Partial<SmallUpdate> => ({ touched: [{ number, position }] });

test('a driver who becomes known during the session matches from then on', () => {
  const told = follow({ drivers: ['MAG'] });
  assert.deepEqual(told({ ...car('1'), roster: [GRID[0]!] }, car('20')), [false, false], 'driver 20 is not known yet');
  assert.deepEqual(told({ ...car('20'), roster: GRID }, car('1'), car('20')), [true, false, true]);
});

test('constructors are those of the moment: a driver who changes teams matches the new team and no longer the old one', () => {
  const mercedes = follow({ constructors: ['mercedes'] });
  const ferrari = follow({ constructors: ['ferrari'] });
  const moved = GRID.map((driver) => (driver.tla === 'HAM' ? { ...driver, team: 'Ferrari' } : driver));
  for (const [told, before, after] of [
    [mercedes, true, false],
    [ferrari, false, true],
  ] as const) {
    assert.deepEqual(told({ ...car('44'), roster: GRID }, car('44')), [before, before]);
    assert.deepEqual(told({ ...car('44'), roster: moved }), [after]);
    assert.deepEqual(told(car('44')), [after]);
    assert.deepEqual(told({ ...car('44'), roster: GRID }), [before], 'and back');
  }
});

test('a name that is corrected between two updates applies from the next one', () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  const filter = new CompiledFilter(withFilters({ drivers: ['HAM'] }), SCOPE, reader.timeline);
  live.publish([{ ...car('44'), roster: [{ ...GRID[1]!, tla: 'HMA' }] }]);
  live.writer.builder.roster([{ ...GRID[1]!, tla: 'HAMM' }]);
  live.writer.publish(0);
  live.publish([{ ...car('44'), roster: [GRID[1]!] }]);
  reader.refresh();
  assert.deepEqual([filter.matches(0), filter.matches(1)], [false, true]);
});

test('positions are those of the moment', () => {
  const told = follow({ positions: { max: 3 } });
  assert.deepEqual(told({ ...car('1', 3), roster: GRID }, car('1', 4), car('1', 2), car('1', 0)), [
    true,
    false,
    true,
    false,
  ]);
});

test('a filter that has reached the end of the timeline is compiled again only when the drivers change', () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  const filter = new CompiledFilter(withFilters({ drivers: ['VER'] }), SCOPE, reader.timeline);
  live.publish([{ ...car('1'), roster: GRID }]);
  reader.refresh();
  assert.equal(filter.matches(0), true);
  live.publish([car('44'), { ...car('1'), roster: [{ ...GRID[0]!, tla: 'XXX' }] }]);
  reader.refresh();
  assert.deepEqual(
    [0, 1, 2, 0].map((position) => filter.matches(position)),
    [true, false, false, true],
  );
});

test('a filter over a growing timeline, in steps of any size, matches the same updates as over the finished one', () => {
  const teams = ['Red Bull Racing', 'Mercedes', 'Ferrari', 'Haas F1 Team', ''];
  const driver = fc.record({
    number: fc.integer({ min: 1, max: 40 }).map(String),
    tla: fc.constantFrom('VER', 'HAM', 'MAG', 'LEC', ''),
    team: fc.constantFrom(...teams),
  });
  const update: fc.Arbitrary<SmallUpdate> = fc
    .record({
      feed: fc.constantFrom('timing.data' as const, 'lap.count' as const, 'events.race' as const),
      touched: fc.array(
        fc.record({ number: fc.integer({ min: 1, max: 40 }).map(String), position: fc.integer({ min: 0, max: 20 }) }),
        { maxLength: 4 },
      ),
      roster: fc.option(fc.array(driver, { maxLength: 4 }), { nil: undefined }),
    })
    .map(({ roster, ...rest }) => ({
      dueMs: 0,
      ...rest,
      ...(rest.feed === 'events.race' && { eventType: 'overtake' as const }),
      ...(roster !== undefined && { roster }),
    }));
  const spec: fc.Arbitrary<FilterSpec> = fc.record(
    {
      drivers: fc.array(fc.constantFrom('VER', 'HAM', 'LEC'), { minLength: 1, maxLength: 2 }),
      constructors: fc.array(fc.constantFrom('redbull', 'ferrari', 'haas'), { minLength: 1, maxLength: 2 }),
      positions: fc.record({ min: fc.integer({ min: 1, max: 5 }), max: fc.integer({ min: 3, max: 12 }) }),
    },
    { requiredKeys: [] },
  );
  const all = (timeline: Timeline, filter: CompiledFilter): boolean[] =>
    Array.from({ length: timeline.length }, (_, position) => filter.matches(position));
  const shared = new WrittenTimeline().memory;
  fc.assert(
    fc.property(fc.array(fc.array(update, { maxLength: 5 }), { maxLength: 12 }), spec, (steps, filters) => {
      // One memory for all, because reserving it is expensive.
      for (const buffer of [shared.control, shared.rosters]) new Uint8Array(buffer).fill(0, 0, 64 * 1024);
      const told: boolean[] = [];
      const live = new WrittenTimeline(shared);
      const reader = new LiveTimeline(shared);
      const growing = new CompiledFilter(withFilters(filters), SCOPE, reader.timeline);
      for (const step of steps) {
        live.publish(step);
        reader.refresh();
        while (told.length < reader.timeline.length) told.push(growing.matches(told.length));
      }
      const finished = smallTimeline(steps.flat());
      const expected = all(finished, new CompiledFilter(withFilters(filters), SCOPE, finished));
      assert.deepEqual(told, expected);
      assert.deepEqual(all(reader.timeline, growing), expected, 'asked again from the beginning');
    }),
    { numRuns: 300 },
  );
});
