// Scores from the outcomes of recorded sessions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { isScorable, outcomeScores, runningScores } from '#engine/seasons/fantasy/outcome-scores.ts';
import { FANTASY_RULES } from '#schemas/fantasy/fantasy-rules.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { outcomeOf } from '#test/racing/outcome/real-outcomes.ts';
import { ALL_SESSIONS, recorded } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { car, outcomeWith } from './invented-outcomes.ts';

const totals = (race: SessionOutcome, qualifying: SessionOutcome | null = null) =>
  Object.fromEntries(
    outcomeScores(FANTASY_RULES, race, qualifying, 'grand_prix').map(({ driver, breakdown }) => [driver, breakdown]),
  );

test('without a recorded qualifying the grid stands in for it', () => {
  const scores = totals(outcomeWith(car('1', { gridPlace: 3 }), car('2', { gridPlace: 12 })));
  const [a, b] = [scores['driver-1'], scores['driver-2']];
  assert.deepEqual([a?.qualiPosPoints, a?.q3Bonus, b?.qualiPosPoints, b?.q3Bonus], [8, 3, 0, 0]);
});

test('with a recorded qualifying, a driver who was not in it gets no qualifying points', () => {
  const race = outcomeWith(car('1', { gridPlace: 1 }), car('2', { gridPlace: 2 }));
  const scores = totals(race, outcomeWith(car('2', { position: 4, reachedQ3: true })));
  assert.deepEqual([scores['driver-1']?.qualiPosPoints, scores['driver-1']?.q3Bonus], [0, 0]);
  assert.deepEqual([scores['driver-2']?.qualiPosPoints, scores['driver-2']?.q3Bonus], [7, 3]);
});

test('a car with 90 % of the winner’s laps is classified, running or not', () => {
  const scores = totals(
    outcomeWith(
      car('1', { lapsCompleted: 51 }),
      car('2', { lapsCompleted: 45, out: true }),
      car('3', { lapsCompleted: 44 }),
    ),
  );
  assert.deepEqual([scores['driver-2']?.racePosPoints, scores['driver-2']?.dnfPenalty], [18, 0]);
  assert.deepEqual([scores['driver-3']?.racePosPoints, scores['driver-3']?.dnfPenalty], [0, -15]);
});

test('a start from the pit lane counts as last on the grid, if the grid is known', () => {
  const scores = totals(outcomeWith(car('1', { gridPlace: 1 }), car('2'), car('3', { gridPlace: 2 })));
  assert.equal(scores['driver-2']?.positionsGained, 1);
  assert.equal(totals(outcomeWith(car('1'), car('2')))['driver-2']?.positionsGained, 0);
});

/** The outcome so far when the leader begins a lap. */
function standAtLap(frames: readonly Frame[], lap: number): SessionOutcome {
  const at = frames.findIndex(({ topic, json }) => topic === 'LapCount' && json.includes(`"CurrentLap":${lap}`));
  return recordedOutcome(F1, frames.slice(0, at + 1))!;
}

test('a running car gets the points of its place, a retired car the penalty', () => {
  const real = recorded('2018-azerbaijan-race').map(({ frames }) => {
    return { outcome: standAtLap(frames, 30), lap: 30, out: ['OCO', 'HUL', 'SIR'] };
  });
  for (const { outcome, lap, out } of [
    { outcome: standAtLap(RACE.frames, 14), lap: 14, out: ['MAR', 'BEZ'] },
    ...real,
  ]) {
    assert.deepEqual([outcome.phase, outcome.currentLap], ['live', lap]);
    const scores = runningScores(FANTASY_RULES, outcome, 'grand_prix');
    assert.deepEqual(
      scores.filter(({ breakdown }) => breakdown.dnfPenalty !== 0).map(({ tla }) => tla),
      out,
    );
    for (const { tla, breakdown } of scores) {
      const car = outcome.cars.find((one) => one.tla === tla)!;
      const points = car.out ? 0 : (FANTASY_RULES.grand_prix.race[car.position! - 1] ?? 0);
      assert.equal(breakdown.racePosPoints, points, `${tla}`);
    }
  }
});

test('a recording without timing data cannot be scored', () => {
  const untimed = RACE.frames.filter(({ topic }) => topic !== 'TimingData');
  assert.deepEqual(
    [RACE.frames, untimed].map((frames) => isScorable(recordedOutcome(F1, frames)!)),
    [true, false],
  );
  assert.deepEqual(
    recorded(...ALL_SESSIONS)
      .map(({ sessionId }) => sessionId)
      .filter((session) => !isScorable(outcomeOf(session))),
    WITHOUT_RECORDINGS === false ? ['2020-belgium-race', '2025-australia-race', '2025-mexico-race'] : [],
  );
});
