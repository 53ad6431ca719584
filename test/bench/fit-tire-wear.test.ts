import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { LAP_TABLES } from '#bench/fit/fit.ts';
import { addedDeviation, heldShare, TIRE_WEAR_FIT } from '#bench/fit/tire-wear-fit.ts';
import type { TableRace } from '#bench/laps/lap-tables.ts';
import type { WearCase } from '#bench/models/wear-cases.ts';
import { LAPS } from '#bench/suite/shared-data.ts';
import tireWear from '#engine/racing/analytics/coefficients/tire-wear.json' with { type: 'json' };

const race: TableRace = { season: 2020, round: 1, event: '', isSprint: false, laps: 50, cars: new Map() };

/** Forecasts that are so far from the median of their compound, with a deviation of 0.03 s of the regression. */
function missedBy(...misses: readonly number[]): WearCase[] {
  return misses.map((missed, index) => ({
    race,
    compound: `C${index}`,
    real: 0.05,
    told: 0.05 + missed,
    fit: { wearSecondsPerLap: 0.05 + missed, wearUncertaintySeconds: 0.03 } as WearCase['fit'],
  }));
}

test('the least deviation is added with which 80 % of the forecasts are held, each race counted once', () => {
  assert.equal(addedDeviation([missedBy(0.01, 0.02, 0.03, -0.03, 0.3)]), 0);
  const far = 1.2816 * 0.05;
  const races = [missedBy(0, 0, far, far, 0.3)];
  const added = addedDeviation(races);
  assert.ok(added >= 0.04 && added <= 0.0401, `${added}`);
  assert.equal(heldShare(races, added), 0.8);
  assert.equal(heldShare(races, added - 0.0002), 0.4);
  const long = missedBy(...Array.from({ length: 90 }, () => 0));
  assert.equal(addedDeviation([long, ...races, ...races, ...races]), added);
  assert.equal(heldShare([long, ...races], added), 0.9);
});

test('the file comes from this fit', { skip: existsSync(LAPS) ? false : 'no tables of laps' }, () => {
  assert.equal(tireWear.method, TIRE_WEAR_FIT.method);
  assert.deepEqual(tireWear.sources, [LAP_TABLES]);
});
