// Scores and stops of real races, from recordings and from the history. Both agree unless the stewards changed the
// result after the finish.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outcomeScores } from '#engine/seasons/fantasy/outcome-scores.ts';
import { historicalPitTimes, outcomePitTimes } from '#engine/seasons/fantasy/pit-times.ts';
import { raceScores } from '#engine/seasons/fantasy/race-scores.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';
import { FANTASY_RULES } from '#schemas/fantasy/fantasy-rules.ts';
import { outcomeOf } from '#test/racing/outcome/real-outcomes.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { car, outcomeWith } from './invented-outcomes.ts';

function weekendOf(eventId: string): NamedWeekend {
  const { weekends, drivers, constructors } = realHistory();
  const weekend = weekends.find((one) => one.eventId === eventId)!;
  return { weekend, drivers, constructors };
}

describe('fantasy of real races', { skip: WITHOUT_RECORDINGS }, () => {
  test('Baku 2018: the recording, with the qualifying result, gives the scores of the history', () => {
    const named = weekendOf('2018-azerbaijan');
    const qualifying = outcomeWith(
      ...named.weekend.qualifying.map(({ number, classification, q3Ms }) =>
        car(number, {
          position: classification.kind === 'classified' ? classification.position : null,
          reachedQ3: q3Ms !== null,
        }),
      ),
    );
    const official = raceScores(FANTASY_RULES, named, 'grand_prix');
    const recorded = outcomeScores(FANTASY_RULES, outcomeOf('2018-azerbaijan-race'), qualifying, 'grand_prix');
    const bare = (scores: typeof official) => scores.map(({ driver, tla, breakdown }) => ({ driver, tla, breakdown }));
    assert.deepEqual(bare(recorded), bare(official));
  });

  test('waiting in the pit lane while a race is interrupted is not a stop', () => {
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

  test('Baku 2018: recording and history agree on stops within three seconds, without the drive-through', () => {
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
  });

  test('a drive-through is left out if the tires show that the car did not stop', () => {
    // Antonelli drove through the pits of Miami in 18.4 s and stopped on the lap after.
    const times = outcomePitTimes(outcomeOf('2025-miami-sprint'));
    assert.deepEqual(
      times.filter(({ tla }) => tla === 'ANT').map(({ lap, seconds }) => [lap, seconds]),
      [[13, 23.903]],
    );
    const team = { team: 'McLaren', constructorId: 'mclaren' };
    assert.deepEqual(times[0], { driver: 'oscar-piastri', tla: 'PIA', ...team, lap: 13, seconds: 22.211 });
  });
});
