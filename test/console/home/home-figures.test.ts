// What the home page works out: the month's use and the time until the next session.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthUse } from '#api/console/app/data/month.ts';
import { countdown, countdownText } from '#api/console/app/parts/time-left.ts';

const APRIL = '2026-04-01T00:00:00.000Z';
const HOUR = 3_600_000;

test('the pace so far is carried to the end of the month, leap years and lengths of months included', () => {
  const tenDays = Date.parse(APRIL) + 240 * HOUR;
  assert.deepEqual(monthUse(1_000, 5_000, APRIL, tenDays), { used: 1_000, limit: 5_000, share: 0.2, forecast: 3_000 });
  const february = '2028-02-01T00:00:00.000Z';
  assert.equal(monthUse(100, null, february, Date.parse(february) + 24 * HOUR).forecast, 2_900);
});

test('the first hour of a month forecasts nothing, and a clock beyond its end changes nothing', () => {
  assert.equal(monthUse(50, 5_000, APRIL, Date.parse(APRIL) + HOUR - 1).forecast, null);
  assert.equal(monthUse(50, 5_000, APRIL, Date.parse('2026-06-01T00:00:00Z')).forecast, 50);
});

test('a share is never above the whole; without a limit there is none', () => {
  assert.equal(monthUse(6_000, 5_000, APRIL, Date.parse(APRIL)).share, 1);
  assert.equal(monthUse(6_000, null, APRIL, Date.parse(APRIL)).share, null);
});

test('a countdown names its two largest units', () => {
  const say = (unit: string, count: number): string => `${count} ${unit}`;
  assert.equal(countdownText(countdown(2 * 24 * HOUR + 3 * HOUR + 59_000), say), '2 days 3 hours');
  assert.equal(countdownText(countdown(61_999), say), '1 minutes 1 seconds');
  assert.equal(countdownText(countdown(9_000), say), '9 seconds');
  assert.equal(countdownText(countdown(-5), say), '0 seconds');
});
