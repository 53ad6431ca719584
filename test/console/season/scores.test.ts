// What the fantasy page works out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '#api/client/calls.ts';
import {
  choicesOf,
  comparedStops,
  firstOf,
  keyOf,
  linesFor,
  type Stop,
  signed,
  totalBars,
} from '#api/console/app/pages/calendar/scores.ts';
import type { CalendarEvent } from '#api/console/app/pages/calendar/season.ts';

const CHINA: CalendarEvent = {
  eventId: '2026-china',
  name: 'Chinese Grand Prix',
  circuitName: 'Shanghai',
  round: 2,
  sessions: [
    { sessionId: '2026-china-sprint', type: 'Sprint', startDate: '2026-03-14T03:00:00.000Z', status: 'finished' },
    { sessionId: '2026-china-qualifying', type: 'Qualifying', startDate: '2026-03-14T07:00:00Z', status: 'finished' },
    { sessionId: '2026-china-race', type: 'Race', startDate: '2026-03-15T07:00:00.000Z', status: 'live' },
  ],
};
const recording = (sessionId: string, demo = false): Session => ({
  sessionId,
  seriesId: 'f1',
  name: 'Azerbaijan Grand Prix, Race',
  type: 'Race',
  circuitName: 'Baku',
  startDate: '2018-04-29T12:10:00.000Z',
  durationSeconds: 1,
  updateCount: 1,
  demo,
  season: 2018,
  unlocked: false,
  prepared: false,
});

test('races and sprints that have begun can be chosen, the latest first, then recordings that the calendar lacks', () => {
  const recorded = [recording('demo-race', true), recording('2026-china-sprint'), recording('2018-azerbaijan-race')];
  const choices = choicesOf([CHINA], recorded, null);
  assert.deepEqual(choices.map(keyOf), ['race 2026-china', 'sprint 2026-china', 'race 2018-azerbaijan']);
  assert.deepEqual(
    choices.map(({ live }) => live),
    [true, false, false],
  );
  assert.equal(choices[2]?.name, 'Azerbaijan Grand Prix 2018');
});

test('a race that was asked for can be chosen although no list has it, and stands there once', () => {
  assert.equal(choicesOf([], [], { raceId: '2023-qatar', kind: 'sprint' })[0]?.sessionId, '2023-qatar-sprint');
  assert.equal(choicesOf([CHINA], [], { raceId: '2026-china', kind: 'race' }).length, 2);
});

test('before somebody chooses, a race is shown that runs, or else one that was recorded', () => {
  const first = (events: CalendarEvent[], recorded: Session[]) =>
    firstOf(choicesOf(events, recorded, null), recorded)?.sessionId ?? null;
  const over = { ...CHINA, sessions: CHINA.sessions.filter(({ status }) => status === 'finished') };
  assert.equal(first([CHINA], [recording('2018-azerbaijan-race')]), '2026-china-race');
  assert.equal(first([over], [recording('2018-azerbaijan-race')]), '2018-azerbaijan-race');
  assert.equal(first([over], []), null);
});

test('a sprint has no lines for what it has no points for', () => {
  assert.equal(linesFor('race').length, 8);
  assert.deepEqual(linesFor('sprint'), ['racePosPoints', 'positionsGainedPoints', 'beatTeammateRace', 'dnfPenalty']);
});

test('points have a sign, and what is not known yet is no zero', () => {
  assert.deepEqual([3, 0, -15, null].map(signed), ['+3', '0', '−15', '–']);
});

test('a loss has a bar of its own size, and totals of zero divide nothing', () => {
  assert.deepEqual(totalBars([40, -20]), [
    { share: 1, loss: false },
    { share: 0.5, loss: true },
  ]);
  assert.deepEqual(totalBars([0]), [{ share: 0, loss: false }]);
  assert.deepEqual(totalBars([]), []);
});

test('stops are compared with the fastest', () => {
  const stop = (seconds: number): Stop => ({ driver: 'x', tla: 'X', team: '', constructorId: null, lap: 1, seconds });
  const compared = comparedStops([stop(20), stop(21), stop(24)]);
  assert.deepEqual(
    compared.map(({ gap, share }) => [gap, share]),
    [
      [0, 0],
      [1, 0.25],
      [4, 1],
    ],
    'bars show the gaps: whole times differ too little to be seen',
  );
  assert.deepEqual(comparedStops([]), []);
});
