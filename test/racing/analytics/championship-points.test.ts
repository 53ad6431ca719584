// The points that a race pays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsTable } from '#engine/racing/analytics/championship-points.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';

function tableOf(Name: string, StartDate: string): readonly number[] {
  const state = new SessionState(F1.facts);
  state.apply('SessionInfo', { Type: 'Race', Name, StartDate });
  return pointsTable(state);
}

test('the winner of a race gets 25 points, of a sprint 8, and of a sprint in 2021 3', () => {
  assert.equal(tableOf('Race', '2025-05-04T16:00:00')[0], 25);
  assert.equal(tableOf('Race', '2025-05-04T16:00:00').length, 10);
  assert.deepEqual(tableOf('Sprint', '2025-05-03T12:00:00'), [8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(tableOf('Sprint Qualifying', '2021-07-17T16:30:00'), [3, 2, 1]);
});
