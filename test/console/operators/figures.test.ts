// How the operators' page writes durations and counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, duration, percent } from '#api/console/app/operators/figures.ts';

test('durations have the unit that people would choose', () => {
  assert.deepEqual([null, 0, 0.44, 12.3, 999, 1_500, 59_000, 150_000, 3 * 3_600_000, 50 * 3_600_000].map(duration), [
    '–',
    '0 ms',
    '0.4 ms',
    '12 ms',
    '999 ms',
    '1.5 s',
    '59 s',
    '2 min',
    '3 h',
    '2 d',
  ]);
});

test('bytes have binary units', () => {
  assert.deepEqual([0, 1_023, 1_536, 48 * 1_024 ** 2, 250 * 1_024 ** 3].map(bytes), [
    '0 B',
    '1,023 B',
    '1.5 KiB',
    '48 MiB',
    '250 GiB',
  ]);
});

test('a share that is not known is not shown as 0', () => {
  assert.deepEqual([null, 0, 0.456].map(percent), ['–', '0%', '46%']);
});
