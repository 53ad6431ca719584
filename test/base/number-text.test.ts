// Numbers and months as text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped, monthName } from '#engine/base/number-text.ts';

test('numbers are grouped by thousands, months named, as English is', () => {
  for (const value of [0, 7, 100, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1, -999, -1_000, -123_456])
    assert.equal(grouped(value), value.toLocaleString('en-US'));
  for (let month = 0; month < 12; month++) {
    const date = new Date(Date.UTC(2026, month, 1));
    const expected = date.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    assert.equal(monthName(date.getTime()), expected);
    assert.equal(
      monthName(date.getTime() - 1),
      new Date(date.getTime() - 1).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    );
  }
});
