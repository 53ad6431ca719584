import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FILTER_VALUES_MAX } from '#engine/base/limits.ts';
import { type FilterContext, parseFilters } from '#engine/delivery/filter/filter-parser.ts';

const ENDPOINT: FilterContext = { scope: 'endpoint', feedIds: ['session.status', 'events.race'] };
const STATUS_ONLY: FilterContext = { scope: 'endpoint', feedIds: ['session.status'] };
const TIMING: FilterContext = { scope: 'feed', feed: { feedId: 'timing.data', perDriver: true } };
const EVENTS: FilterContext = { scope: 'feed', feed: { feedId: 'events.race', perDriver: true } };
const STATUS: FilterContext = { scope: 'feed', feed: { feedId: 'session.status', perDriver: false } };

test('every key is accepted with values of its type; codes become upper case, and repeated values are dropped', () => {
  const given = {
    drivers: ['ver', 'HAM', 'VER'],
    driverNumbers: ['1', '44'],
    constructors: ['Red Bull', 'rb'],
    positions: { min: 1, max: 10 },
    eventTypes: ['overtake', 'pit_entry', 'fastest_lap'],
  };
  assert.deepEqual(parseFilters(given, EVENTS), { ok: { ...given, drivers: ['VER', 'HAM'] } });
});

test('an empty object is no filter, and a window may be open at either end', () => {
  assert.deepEqual(parseFilters({}, STATUS), { ok: {} });
  assert.deepEqual(parseFilters({ positions: { max: 3 } }, TIMING), { ok: { positions: { max: 3 } } });
  assert.deepEqual(parseFilters({ positions: { min: 4 } }, TIMING), { ok: { positions: { min: 4 } } });
  assert.deepEqual(parseFilters({ positions: {} }, TIMING), { ok: { positions: {} } });
});

const WRONG: readonly (readonly [value: unknown, violation: RegExp])[] = [
  [null, /^filters must be an object$/],
  [[], /^filters must be an object$/],
  ['VER', /^filters must be an object$/],
  [{ driver: ['VER'] }, /^filters\."driver" is not a known key/],
  [JSON.parse('{"__proto__": {}}'), /^filters\."__proto__" is not a known key/],
  [{ toString: 1 }, /^filters\."toString" is not a known key/],
  [{ drivers: 'VER' }, /^filters\.drivers must be a list of strings$/],
  [{ drivers: null }, /must be a list of strings/],
  [{ drivers: [] }, /^filters\.drivers is empty/],
  [{ drivers: ['VERS'] }, /^filters\.drivers\[0\] "VERS" is not a three-letter driver code$/],
  [{ drivers: ['V1R'] }, /three-letter/],
  [{ drivers: [33] }, /^filters\.drivers\[0\] must be a string$/],
  [{ driverNumbers: [44] }, /^filters\.driverNumbers\[0\] must be a string$/],
  [{ driverNumbers: ['044'] }, /racing number/],
  [{ driverNumbers: ['1000'] }, /racing number/],
  [{ constructors: ['---'] }, /no letter or digit/],
  [{ constructors: ['a\u0000'] }, /control characters/],
  [{ constructors: ['a\ud800'] }, /control characters/],
  [{ constructors: ['x'.repeat(65)] }, /more than 64/],
  [{ positions: [1, 10] }, /must be an object with min and max/],
  [{ positions: { from: 1 } }, /^filters\.positions\."from" is not a known key$/],
  [{ positions: { min: 0 } }, /^filters\.positions\.min must be a whole number/],
  [{ positions: { max: 1.5 } }, /whole number/],
  [{ positions: { max: '10' } }, /whole number/],
  [{ positions: { min: null } }, /whole number/],
  [{ positions: { min: 5, max: 4 } }, /min is greater than/],
  [{ eventTypes: ['overtook'] }, /"overtook" is not an event type/],
  [{ drivers: Array.from({ length: FILTER_VALUES_MAX + 1 }, () => 'VER') }, /at most 64/],
];

test('unknown keys and wrong values are violations that name the place', () => {
  for (const [value, violation] of WRONG) {
    const parsed = parseFilters(value, ENDPOINT);
    assert.ok('violations' in parsed, JSON.stringify(value));
    assert.equal(parsed.violations.length, 1, JSON.stringify(parsed));
    assert.match(parsed.violations[0]!, violation);
  }
});

test('every violation is listed, not only the first', () => {
  const parsed = parseFilters({ colour: 1, drivers: ['V', 2], positions: { min: 0, max: 0, mid: 0 } }, TIMING, 'here');
  assert.ok('violations' in parsed);
  assert.equal(parsed.violations.length, 6);
  for (const violation of parsed.violations) assert.ok(violation.startsWith('here.'));
});

test('eventTypes is for events.race only', () => {
  assert.ok('ok' in parseFilters({ eventTypes: ['overtake'] }, EVENTS));
  assert.ok('ok' in parseFilters({ eventTypes: ['overtake'] }, ENDPOINT));
  assert.ok('violations' in parseFilters({ eventTypes: ['overtake'] }, TIMING));
  assert.ok('violations' in parseFilters({ eventTypes: ['overtake'] }, STATUS_ONLY));
});

test('driver keys are refused where no feed is about drivers; an endpoint with patterns may get such feeds later', () => {
  for (const filters of [
    { drivers: ['VER'] },
    { driverNumbers: ['1'] },
    { constructors: ['rb'] },
    { positions: { max: 1 } },
  ]) {
    assert.ok('violations' in parseFilters(filters, STATUS));
    assert.ok('ok' in parseFilters(filters, TIMING));
    assert.ok('ok' in parseFilters(filters, ENDPOINT));
    assert.ok('violations' in parseFilters(filters, STATUS_ONLY));
    assert.ok('ok' in parseFilters(filters, { ...STATUS_ONLY, patterns: true }));
  }
});

test('no JSON value makes the parser throw, and what it accepts it accepts unchanged a second time', () => {
  const key = fc.constantFrom('drivers', 'driverNumbers', 'constructors', 'positions', 'eventTypes', 'x');
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(['VER'], ['44'], ['rb'], { min: 1, max: 3 }, ['overtake']));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, value)), (given) => {
      const once = parseFilters(given, ENDPOINT);
      if ('violations' in once) assert.ok(once.violations.length > 0);
      else assert.deepEqual(parseFilters(once.ok, ENDPOINT), once);
    }),
  );
});
