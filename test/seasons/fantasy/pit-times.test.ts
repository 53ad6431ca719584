// Leaderboards of stops: from the history and from recordings of the same races.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { historicalPitTimes, outcomePitTimes } from '#engine/seasons/fantasy/pit-times.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';
import { outcomeOf } from '#test/racing/outcome/real-outcomes.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const options = { skip: WITHOUT_RECORDINGS };
const history = WITHOUT_RECORDINGS === false ? readF1dbRelease(dataPath('history/f1db')) : null;

function weekendOf(eventId: string): NamedWeekend {
  const weekend = history!.weekends.find((one) => one.eventId === eventId)!;
  return { weekend, drivers: history!.drivers, constructors: history!.constructors };
}

const NOTHING: SessionOutcome = {
  phase: 'finished',
  currentLap: null,
  totalLaps: null,
  cars: [],
  fastestLap: null,
  stops: [],
};

test('fastest to slowest; equal ones by lap, then by racing number', () => {
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

test('waiting in the pit lane while a race is interrupted is no stop', options, () => {
  for (const eventId of ['2021-britain', '2023-australia', '2024-sao-paulo']) {
    const named = weekendOf(eventId);
    const times = historicalPitTimes(named);
    assert.ok(times.length < named.weekend.pitStops.length, eventId);
    assert.ok(
      times.every(({ seconds }) => seconds < 120),
      eventId,
    );
  }
});

test(
  'Baku 2018: the recording has the stops of the history, within three seconds; neither has the drive-through',
  options,
  () => {
    const recorded = outcomePitTimes(outcomeOf('2018-azerbaijan-race'));
    const historical = historicalPitTimes(weekendOf('2018-azerbaijan'));
    assert.deepEqual([recorded.length, historical.length], [35, 35]);
    const near = recorded.filter(({ driver, lap, seconds }) => {
      const same = historical.find((one) => one.driver === driver && one.lap === lap);
      assert.ok(same, `${driver} on lap ${lap}`);
      assert.ok(Math.abs(same.seconds - seconds) < 3, `${driver} on lap ${lap}`);
      return Math.abs(same.seconds - seconds) < 0.15;
    });
    assert.ok(near.length >= 26, `${near.length} within 0.15 s`);
  },
);

test('a driver who drives through without stopping is not on the board where the tires tell it', options, () => {
  // Antonelli drove through the pits of Miami in 18.4 s and stopped on the lap after.
  const times = outcomePitTimes(outcomeOf('2025-miami-sprint'));
  assert.deepEqual(
    times.filter(({ tla }) => tla === 'ANT').map(({ lap, seconds }) => [lap, seconds]),
    [[13, 23.903]],
  );
  assert.deepEqual(times[0], { driver: 'oscar-piastri', tla: 'PIA', team: 'McLaren', lap: 13, seconds: 22.211 });
});
