import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exposureOf, pointsOf } from '#engine/racing/race-kind.ts';

test('points depend on the season: sprints gave points to three places in 2021, and to eight since', () => {
  assert.deepEqual(pointsOf(2021, 'sprint'), [3, 2, 1]);
  assert.deepEqual(pointsOf(2022, 'sprint'), [8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(pointsOf(2021, 'grand_prix'), [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]);
});

test('a sprint has the risk of a full first lap, and a third of the risk of the other laps', () => {
  assert.equal(exposureOf('grand_prix'), 1);
  assert.ok(Math.abs(exposureOf('sprint') - (0.364 + 0.636 / 3)) < 1e-12);
});
