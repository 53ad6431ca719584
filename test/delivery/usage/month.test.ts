import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIn, monthOf } from '#engine/delivery/usage/month.ts';

test('a month is a UTC month, from its first millisecond to its last', () => {
  const first = Date.UTC(2026, 11, 1);
  const month = monthOf(first);
  assert.deepEqual(month, {
    firstDay: '2026-12-01',
    number: 56 * 12 + 11,
    startsMs: first,
    endsMs: Date.UTC(2027, 0, 1),
  });
  assert.deepEqual(monthOf(month.endsMs - 1), month);
  assert.equal(monthOf(month.endsMs).firstDay, '2027-01-01');
  const moments = [first - 1, first, month.endsMs - 1, month.endsMs];
  assert.deepEqual(
    moments.map((wallMs) => isIn(month, wallMs)),
    [false, true, true, false],
  );
});

test('a leap day belongs to February', () => {
  assert.equal(monthOf(Date.UTC(2028, 1, 29, 23, 59, 59, 999)).firstDay, '2028-02-01');
});
