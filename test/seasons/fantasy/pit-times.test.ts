// The leaderboard of pit stops.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { outcomePitTimes } from '#engine/seasons/fantasy/pit-times.ts';

const NOTHING: SessionOutcome = {
  phase: 'finished',
  currentLap: null,
  totalLaps: null,
  cars: [],
  fastestLap: null,
  stops: [],
};

test('stops are sorted from fastest to slowest; ties by lap, then by racing number', () => {
  const stop = (number: string, lap: number, pitLaneMs: number) => ({ number, lap, pitLaneMs });
  const stops = [stop('44', 9, 20_500), stop('5', 9, 20_500), stop('10', 9, 20_499), stop('77', 3, 20_500)];
  assert.deepEqual(
    outcomePitTimes({ ...NOTHING, stops }).map(({ driver, lap, seconds }) => [driver, lap, seconds]),
    [
      ['10', 9, 20.499],
      ['77', 3, 20.5],
      ['5', 9, 20.5],
      ['44', 9, 20.5],
    ],
  );
});
