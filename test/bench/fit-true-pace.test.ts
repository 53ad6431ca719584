import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { LAP_TABLES } from '#bench/fit/fit.ts';
import { bestShare, TRUE_PACE_FIT } from '#bench/fit/true-pace-fit.ts';
import type { TableRace } from '#bench/laps/lap-tables.ts';
import { LAPS } from '#bench/suite/shared-data.ts';
import truePace from '#engine/racing/analytics/coefficients/true-pace.json' with { type: 'json' };

const race: TableRace = { season: 2020, round: 1, event: '', isSprint: false, laps: 50, cars: new Map() };

test('the share of the model is that with the least error, each race counted once', () => {
  const one = (real: number) => ({ race, real, told: 0, modelled: 90, latest: 91 });
  assert.equal(bestShare([[one(90)]]), 1);
  assert.equal(bestShare([[one(91)]]), 0);
  assert.equal(bestShare([[one(90.75)]]), 0.25);
  const many = Array.from({ length: 9 }, () => one(90));
  assert.equal(bestShare([many, [one(91)], [one(91)]]), 0);
});

test('the file comes from this fit', { skip: existsSync(LAPS) ? false : 'no tables of laps' }, () => {
  assert.equal(truePace.method, TRUE_PACE_FIT.method);
  assert.deepEqual(truePace.sources, [LAP_TABLES]);
});
