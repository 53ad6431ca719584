// Chances in words and as bars.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Preview } from '#api/client/calls.ts';
import { percent, placeOf, plainQuality, scaleOf, spanOf } from '#api/console/app/pages/calendar/chances.ts';

test('a chance is never rounded to what cannot or must happen', () => {
  const shown = [0, 0.0001, 0.004, 0.0123, 0.0949, 0.0951, 0.2687, 0.999, 1].map(percent);
  assert.deepEqual(shown, ['0%', '<0.1%', '0.4%', '1.2%', '9.5%', '10%', '27%', '>99%', '100%']);
});

test('a chance may be off by what past ones were and by the luck of the draws, within 0 and 1', () => {
  const { low, high } = spanOf(0.5, 10_000, 0.015);
  assert.ok(Math.abs(low - (0.5 - 0.015 - 0.0098)) < 1e-9 && Math.abs(high - (0.5 + 0.015 + 0.0098)) < 1e-9);
  assert.deepEqual(spanOf(0.004, 0, 0.02), { low: 0, high: 0.024 });
  assert.equal(spanOf(0.995, 100, 0.02).high, 1);
});

test('bars share a scale that the largest of them fits into', () => {
  assert.equal(scaleOf([]), 0.1);
  assert.ok(Math.abs(scaleOf([0.27, 0.01]) - 0.3) < 1e-9);
  assert.ok(Math.abs(scaleOf([0.3]) - 0.3) < 1e-9);
  assert.equal(scaleOf([1]), 1);
});

const model = (winnerLogLoss: number, baselineLoss: number, standardError: number): Preview['model'] => ({
  version: 'x',
  method: 'x',
  baseline: {
    name: 'standings',
    winnerLogLoss: baselineLoss,
    difference: winnerLogLoss - baselineLoss,
    standardError,
  },
  quality: {
    seasons: [2023, 2022],
    races: 44,
    gridKnown: false,
    known: 'practice',
    winnerLogLoss,
    winnerBrier: 0,
    placesRps: 0,
    calibrationError: 0.015,
    favourites: { count: 0, told: 0, won: 0, standardError: 0 },
    bySeason: [],
  },
});

test('log-loss becomes the chance that later winners were given', () => {
  const { given, simpleGiven, seasons } = plainQuality(model(1.468, 1.625, 0.053));
  assert.equal(percent(given), '23%');
  assert.equal(percent(simpleGiven), '20%');
  assert.deepEqual(seasons, { first: 2022, last: 2023 });
});

test('a difference within two standard errors is called luck, in both directions', () => {
  assert.equal(plainQuality(model(1.4, 1.5, 0.05)).verdict, 'better');
  assert.equal(plainQuality(model(1.41, 1.5, 0.05)).verdict, 'alike');
  assert.equal(plainQuality(model(1.59, 1.5, 0.05)).verdict, 'alike');
  assert.equal(plainQuality(model(1.61, 1.5, 0.05)).verdict, 'worse');
  assert.equal(plainQuality(model(1.4, 1.5, 0)).verdict, 'alike');
});

test('quartiles lie within their line, in order, also when they are alike', () => {
  const { lower, median, upper } = placeOf({ lower: 10, median: 12, upper: 18 });
  assert.ok(lower === 0.25 && upper === 0.75 && median > lower && median < upper);
  assert.deepEqual(placeOf({ lower: 3, median: 3, upper: 3 }), { lower: 0.5, median: 0.5, upper: 0.5 });
});
