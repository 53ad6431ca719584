import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { type SmallUpdate, smallTimeline } from '#test/support/timelines.ts';

const GRID = [
  { number: '1', tla: 'VER', team: 'Red Bull Racing' },
  { number: '11', tla: 'PER', team: 'Red Bull Racing' },
  { number: '44', tla: 'HAM', team: 'Mercedes' },
  { number: '20', tla: 'MAG', team: 'Haas F1 Team' },
];
const SCOPE = { allFeeds: false };

function matched(timeline: Timeline, settings: EndpointSettings, scope = SCOPE): number[] {
  const filter = new CompiledFilter(settings, scope, timeline);
  return Array.from({ length: timeline.length }, (_, position) => position).filter((position) =>
    filter.matches(position),
  );
}

function withFilters(filters: FilterSpec, feedId = 'timing.data', endpointWide: FilterSpec = {}): EndpointSettings {
  return endpointSettings({ filters: endpointWide, subscriptions: [{ feedId, filters, active: true }] });
}

const cars = (...touched: [number: string, position: number][]): SmallUpdate => ({
  dueMs: 0,
  touched: touched.map(([number, position]) => ({ number, position })),
  roster: GRID,
});
const race = smallTimeline([
  cars(['1', 1]),
  cars(['11', 2]),
  cars(['44', 3]),
  cars(['20', 12]),
  cars(['1', 5], ['20', 8]),
]);

test('only subscribed, active feeds of the tier match', () => {
  const timeline = smallTimeline([
    { dueMs: 0, feed: 'lap.count' },
    { dueMs: 1, feed: 'timing.data' },
  ]);
  assert.deepEqual(matched(timeline, withFilters({})), [1]);
  const paused = endpointSettings({ subscriptions: [{ feedId: 'timing.data', filters: {}, active: false }] });
  assert.deepEqual(matched(timeline, paused), []);
});

test('the demo session gives every feed to every endpoint, whatever its filters', () => {
  const timeline = smallTimeline([{ dueMs: 0, feed: 'lap.count' }, cars(['44', 3])]);
  assert.deepEqual(matched(timeline, withFilters({ drivers: ['VER'] }), { allFeeds: true }), [0, 1]);
});

test('drivers match by code, driverNumbers by racing number', () => {
  assert.deepEqual(matched(race, withFilters({ drivers: ['VER'] })), [0, 4]);
  assert.deepEqual(matched(race, withFilters({ driverNumbers: ['44', '20'] })), [2, 3, 4]);
});

test('constructors match fuzzily: without the space, in any case, by a part of the name', () => {
  for (const keyword of ['redbull', 'Red Bull', 'RED BULL RACING', 'bull']) {
    assert.deepEqual(matched(race, withFilters({ constructors: [keyword] })), [0, 1, 4], keyword);
  }
  assert.deepEqual(matched(race, withFilters({ constructors: ['ferrari'] })), []);
});

test('a positions window needs one matching driver inside it', () => {
  assert.deepEqual(matched(race, withFilters({ positions: { max: 3 } })), [0, 1, 2]);
  assert.deepEqual(matched(race, withFilters({ positions: { min: 10 } })), [3]);
  assert.deepEqual(matched(race, withFilters({ drivers: ['MAG'], positions: { min: 5, max: 10 } })), [4]);
  assert.deepEqual(
    matched(race, withFilters({ drivers: ['VER'], positions: { min: 8, max: 10 } })),
    [],
    'MAG is in it',
  );
});

test('keys combine with AND for one and the same driver', () => {
  assert.deepEqual(matched(race, withFilters({ drivers: ['VER', 'HAM'], constructors: ['mercedes'] })), [2]);
  assert.deepEqual(matched(race, withFilters({ drivers: ['VER'], driverNumbers: ['44'] })), []);
});

test('the endpoint-wide filters and those of the feed both apply', () => {
  const settings = withFilters({ positions: { max: 1 } }, 'timing.data', { constructors: ['redbull'] });
  assert.deepEqual(matched(race, settings), [0]);
});

test('eventTypes apply to race events only, and a race event without a driver does not satisfy a driver key', () => {
  const timeline = smallTimeline([
    { dueMs: 0, feed: 'events.race', eventType: 'overtake', touched: [{ number: '44', position: 2 }], roster: GRID },
    { dueMs: 1, feed: 'events.race', eventType: 'safety_car_deployed' },
    { dueMs: 2, feed: 'timing.data', touched: [{ number: '44', position: 2 }] },
  ]);
  const subscriptions = ['events.race', 'timing.data'].map((feedId) => ({ feedId, filters: {}, active: true }));
  const both = (filters: FilterSpec) => endpointSettings({ filters, subscriptions });
  assert.deepEqual(matched(timeline, both({ eventTypes: ['safety_car_deployed'] })), [1, 2]);
  assert.deepEqual(matched(timeline, both({ drivers: ['HAM'] })), [0, 2]);
});

test('driver keys do not apply to feeds that are not about drivers', () => {
  const timeline = smallTimeline([{ dueMs: 0, feed: 'track.status', roster: GRID }]);
  assert.deepEqual(matched(timeline, withFilters({}, 'track.status', { drivers: ['VER'] })), [0]);
});

test('constructors are resolved again when the driver list changes within the session', () => {
  const moved = GRID.map((driver) => (driver.tla === 'HAM' ? { ...driver, team: 'Ferrari' } : driver));
  const timeline = smallTimeline([cars(['44', 1]), { ...cars(['44', 1]), roster: moved }, cars(['1', 1])]);
  assert.deepEqual(matched(timeline, withFilters({ constructors: ['ferrari'] })), [1]);
  const filter = new CompiledFilter(withFilters({ constructors: ['ferrari'] }), SCOPE, timeline);
  assert.deepEqual(
    [1, 0, 1, 0].map((position) => filter.matches(position)),
    [true, false, true, false],
  );
});

// A second implementation of the filter rules without masks: name by name.
function slowlyMatches(timeline: Timeline, position: number, settings: EndpointSettings): boolean {
  const columns = timeline.columns;
  const feed = FEEDS[columns.feed[position]!]!;
  const subscription = settings.subscriptions.find(({ feedId }) => feedId === feed.feedId);
  if (subscription === undefined) return false;
  const roster = timeline.info.rosters[timeline.rosterIndexAt(position)]!.drivers;
  const touched = [];
  for (let i = columns.touchedStart[position]!; i < columns.touchedStart[position + 1]!; i++) {
    touched.push({ ...roster[columns.touchedDriver[i]!]!, position: columns.touchedPosition[i]! });
  }
  const specs = [settings.filters, subscription.filters];
  if (!feed.perDriver) return true;
  const keyed = specs.some((spec) => Object.keys(spec).length > 0);
  if (!keyed) return true;
  const squash = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return touched.some((driver) =>
    specs.every(
      (spec) =>
        (spec.drivers === undefined || spec.drivers.includes(driver.tla)) &&
        (spec.driverNumbers === undefined || spec.driverNumbers.includes(driver.number)) &&
        (spec.constructors === undefined ||
          spec.constructors.some((keyword) => squash(driver.team).includes(squash(keyword)))) &&
        (spec.positions === undefined ||
          (driver.position >= (spec.positions.min ?? 1) && driver.position <= (spec.positions.max ?? 99))),
    ),
  );
}

test('any filter matches the same updates as a slow check by name', () => {
  // Forty drivers, so that both halves of the mask are in use.
  const roster = Array.from({ length: 40 }, (_, index) => ({
    number: String(index + 1),
    tla: `D${String(index).padStart(2, '0')}`,
    team: `Team ${index % 7}`,
  }));
  const driver = fc.integer({ min: 0, max: 39 });
  const spec: fc.Arbitrary<FilterSpec> = fc.record(
    {
      drivers: fc.array(
        driver.map((index) => roster[index]!.tla),
        { minLength: 1, maxLength: 12 },
      ),
      driverNumbers: fc.array(
        driver.map((index) => roster[index]!.number),
        { minLength: 1, maxLength: 12 },
      ),
      constructors: fc.array(fc.constantFrom('team1', 'Team 2', 'TEAM 3', 'team', 'none'), {
        minLength: 1,
        maxLength: 3,
      }),
      positions: fc.record({ min: fc.integer({ min: 1, max: 20 }), max: fc.integer({ min: 10, max: 40 }) }),
    },
    { requiredKeys: [] },
  );
  const update = fc.record({
    dueMs: fc.constant(0),
    feed: fc.constantFrom('timing.data' as const, 'tire.stints' as const, 'lap.count' as const),
    touched: fc.uniqueArray(
      fc.record({ number: driver.map((index) => String(index + 1)), position: fc.integer({ min: 1, max: 40 }) }),
      {
        maxLength: 5,
        selector: ({ number }) => number,
      },
    ),
  });
  fc.assert(
    fc.property(fc.array(update, { minLength: 1, maxLength: 40 }), spec, spec, (updates, wide, own) => {
      const timeline = smallTimeline([{ ...updates[0]!, roster }, ...updates]);
      const settings = endpointSettings({
        filters: wide,
        subscriptions: ['timing.data', 'lap.count'].map((feedId) => ({ feedId, filters: own, active: true })),
      });
      const expected = Array.from({ length: timeline.length }, (_, position) => position).filter((position) =>
        slowlyMatches(timeline, position, settings),
      );
      assert.deepEqual(matched(timeline, settings), expected);
    }),
    { numRuns: 300 },
  );
});
