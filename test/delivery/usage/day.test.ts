import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateOf, dayOf } from '#engine/delivery/usage/day.ts';
import { isIn, monthOf } from '#engine/delivery/usage/month.ts';

test('a day is a UTC day, from its first millisecond to its last', () => {
  const first = Date.UTC(2028, 1, 29);
  const day = dayOf(first);
  assert.deepEqual(day, { month: '2028-02-01', day: 29, startsMs: first, endsMs: Date.UTC(2028, 2, 1) });
  assert.deepEqual(dayOf(day.endsMs - 1), day);
  assert.deepEqual([dayOf(day.endsMs).month, dayOf(day.endsMs).day], ['2028-03-01', 1]);
  assert.deepEqual([dateOf('2028-02-01', 29), dateOf('2028-03-01', 1)], ['2028-02-29', '2028-03-01']);
});

test('every moment lies in its day, and the day in the month of the moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2200, 0) }), (wallMs) => {
      const day = dayOf(wallMs);
      const month = monthOf(wallMs);
      assert.ok(isIn(day, wallMs));
      assert.ok(day.startsMs >= month.startsMs && day.endsMs <= month.endsMs);
      assert.equal(dateOf(day.month, day.day), new Date(wallMs).toISOString().slice(0, 10));
    }),
  );
});
