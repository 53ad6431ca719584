// Scores from recordings, against the official ones where nothing was decided after the flag.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import type { CarOutcome, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { isScorable, outcomeScores, runningScores } from '#engine/seasons/fantasy/outcome-scores.ts';
import { raceScores } from '#engine/seasons/fantasy/race-scores.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { FANTASY_RULES } from '#schemas/fantasy/fantasy-rules.ts';
import { outcomeOf } from '#test/racing/outcome/real-outcomes.ts';
import { ALL_SESSIONS, framesOf } from '#test/racing/real-sessions.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const options = { skip: WITHOUT_RECORDINGS };

function car(number: string, given: Partial<CarOutcome> = {}): CarOutcome {
  return {
    number,
    driver: `driver-${number}`,
    name: `Driver ${number}`,
    tla: null,
    team: null,
    position: Number(number),
    gridPlace: null,
    lapsCompleted: 50,
    out: false,
    reachedQ3: false,
    ...given,
  };
}

const outcomeWith = (...cars: readonly CarOutcome[]): SessionOutcome => ({
  phase: 'finished',
  currentLap: 50,
  totalLaps: 50,
  cars,
  fastestLap: null,
  stops: [],
});

const totals = (race: SessionOutcome, qualifying: SessionOutcome | null = null) =>
  Object.fromEntries(
    outcomeScores(FANTASY_RULES, race, qualifying, 'grand_prix').map(({ driver, breakdown }) => [driver, breakdown]),
  );

test('Baku 2018: the recording, with the result of qualifying, has the scores of the history', options, () => {
  const { weekends, drivers, constructors } = readF1dbRelease(dataPath('history/f1db'));
  const weekend = weekends.find(({ eventId }) => eventId === '2018-azerbaijan')!;
  const qualifying = outcomeWith(
    ...weekend.qualifying.map(({ number, classification, q3Ms }) =>
      car(number, {
        position: classification.kind === 'classified' ? classification.position : null,
        reachedQ3: q3Ms !== null,
      }),
    ),
  );
  const official = raceScores(FANTASY_RULES, { weekend, drivers, constructors }, 'grand_prix');
  const recorded = outcomeScores(FANTASY_RULES, outcomeOf('2018-azerbaijan-race'), qualifying, 'grand_prix');
  const bare = (scores: typeof official) => scores.map(({ driver, tla, breakdown }) => ({ driver, tla, breakdown }));
  assert.deepEqual(bare(recorded), bare(official));
});

test('without a recorded qualifying the grid stands for it', () => {
  const scores = totals(outcomeWith(car('1', { gridPlace: 3 }), car('2', { gridPlace: 12 })));
  const [a, b] = [scores['driver-1'], scores['driver-2']];
  assert.deepEqual([a?.qualiPosPoints, a?.q3Bonus, b?.qualiPosPoints, b?.q3Bonus], [8, 3, 0, 0]);
});

test('with one, who was not in it has nothing of it', () => {
  const race = outcomeWith(car('1', { gridPlace: 1 }), car('2', { gridPlace: 2 }));
  const scores = totals(race, outcomeWith(car('2', { position: 4, reachedQ3: true })));
  assert.deepEqual([scores['driver-1']?.qualiPosPoints, scores['driver-1']?.q3Bonus], [0, 0]);
  assert.deepEqual([scores['driver-2']?.qualiPosPoints, scores['driver-2']?.q3Bonus], [7, 3]);
});

test('who has done nine tenths of the winner’s laps is classified, running or not', () => {
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

test('a start from the pit lane is last on the grid, when there is one', () => {
  const scores = totals(outcomeWith(car('1', { gridPlace: 1 }), car('2'), car('3', { gridPlace: 2 })));
  assert.equal(scores['driver-2']?.positionsGained, 1);
  assert.equal(totals(outcomeWith(car('1'), car('2')))['driver-2']?.positionsGained, 0);
});

test('a running car has the points of its place, a retired one the penalty', options, () => {
  const frames = framesOf('2018-azerbaijan-race');
  const lap30 = frames.findIndex(({ topic, json }) => topic === 'LapCount' && json.includes('"CurrentLap":30'));
  const outcome = recordedOutcome(F1, frames.slice(0, lap30 + 1))!;
  assert.deepEqual([outcome.phase, outcome.currentLap], ['live', 30]);
  const scores = runningScores(FANTASY_RULES, outcome, 'grand_prix');
  assert.deepEqual(
    scores.filter(({ breakdown }) => breakdown.dnfPenalty !== 0).map(({ tla }) => tla),
    ['OCO', 'HUL', 'SIR'],
  );
  for (const { tla, breakdown } of scores) {
    const { position, out } = outcome.cars.find((one) => one.tla === tla)!;
    const points = out ? 0 : (FANTASY_RULES.grand_prix.race[position! - 1] ?? 0);
    assert.equal(breakdown.racePosPoints, points, `${tla}`);
  }
});

test('a recording without timing does not tell who finished', options, () => {
  const scorable = ALL_SESSIONS.filter((session) => isScorable(outcomeOf(session)));
  assert.deepEqual(
    ALL_SESSIONS.filter((session) => !scorable.includes(session)),
    ['2020-belgium-race', '2025-australia-race', '2025-mexico-race'],
  );
});
