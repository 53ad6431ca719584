import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECTORS_FIT } from '#bench/fit/sectors-fit.ts';
import { recordedQualifying } from '#bench/models/qualifying-recordings.ts';
import { evaluateSectors } from '#bench/models/qualifying-sectors-evaluation.ts';
import { type SectorCase, sectorCases, sectorSettingsOf } from '#bench/models/sector-cases.ts';
import coefficients from '#engine/racing/analytics/coefficients/sectors.json' with { type: 'json' };

const lap = (sectors: 1 | 2, seconds: number | null): SectorCase => ({
  sessionId: '',
  sectors,
  projectedSeconds: 100,
  seconds,
});

test('scatter is the usual distance from the projected lap, and laps that were given up count in the chance', () => {
  const [first, second] = sectorSettingsOf([
    lap(1, 99),
    lap(1, 101),
    lap(1, 110),
    lap(1, null),
    lap(2, 100.1),
    lap(2, 99.9),
  ]);
  assert.deepEqual([first!.scatter, first!.chance], [0.0148, 0.75]);
  assert.deepEqual([second!.scatter, second!.chance], [0.00148, 1]);
});

test('a session without sectors has no cases', () => {
  assert.deepEqual(sectorCases({ sessionId: '', frames: [] }), []);
  assert.equal(evaluateSectors('none'), null);
  assert.deepEqual(recordedQualifying('none'), []);
});

test('the file comes from this fit', () => {
  assert.equal(coefficients.method, SECTORS_FIT.method);
  assert.deepEqual(coefficients.sources, SECTORS_FIT.sources);
});
