// What the picture of a race takes from the timing: stops, stints and gaps, even from poor timing data.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RACE_LAPS_MAX } from '#engine/base/limits.ts';
import type { RacePicture } from '#engine/racing/analytics/race-picture.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { at, lines } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

const stints = (seconds: number, number: number, changes: object): Frame =>
  at(seconds, 'TimingAppData', { Lines: { [number]: { Stints: changes } } });

/** Cars 1 and 4 on the grid, then on the first lap. */
function start(pits: boolean): Frame[] {
  return [
    at(0, 'LapCount', { CurrentLap: 1, TotalLaps: 50 }),
    lines(0, { 1: { Position: '1', InPit: false }, 4: { Position: '2', InPit: pits } }),
    stints(0, 1, [{ Compound: 'SOFT', New: 'true', TotalLaps: 0, StartLaps: 0 }]),
    at(1, 'SessionStatus', { Status: 'Started' }),
  ];
}

const stopsOf = (picture: RacePicture) => ['1', '4'].map((number) => picture.car(number)?.stops);

test('I2: laps that no race has count as not told', () => {
  const lapsOf = (CurrentLap: number, TotalLaps: number) => {
    const { lap, totalLaps, lapsLeft } = followRace([at(0, 'LapCount', { CurrentLap, TotalLaps })]);
    return [lap, totalLaps, lapsLeft];
  };
  assert.deepEqual(lapsOf(1, RACE_LAPS_MAX), [1, RACE_LAPS_MAX, RACE_LAPS_MAX]);
  assert.deepEqual(lapsOf(RACE_LAPS_MAX, 1), [RACE_LAPS_MAX, 1, 0]);
  assert.deepEqual(lapsOf(1, RACE_LAPS_MAX + 1), [1, null, null]);
  assert.deepEqual(lapsOf(1, 0), [1, null, null]);
  assert.deepEqual(lapsOf(0, 50), [null, 50, null]);
  assert.deepEqual(lapsOf(-1, 50), [null, 50, null]);
  assert.deepEqual(lapsOf(RACE_LAPS_MAX + 1, 50), [null, 50, null]);
});

test('a sprint is one under the names of every season', () => {
  const isSprint = (Name: string) =>
    followRace([...start(false), at(2, 'SessionInfo', { Type: 'Race', Name })]).isSprint;
  assert.deepEqual(['Sprint', 'Sprint Qualifying', 'Race'].map(isSprint), [true, true, false]);
});

test('a stop on the first lap counts, a start from the pits does not', () => {
  const frames = (pits: boolean) => [
    ...start(pits),
    lines(80, { 4: { InPit: false } }),
    lines(90, { 1: { InPit: true } }),
  ];
  assert.deepEqual(stopsOf(followRace(frames(true))), [1, 0]);
  const { visits } = followRace(frames(false)).car('1')!;
  assert.deepEqual(visits, [{ inLap: 1, status: 'green', compound: 'SOFT', tireAge: 0 }]);
});

test('a repeated pit report counts as one stop, and a broken-down car taken to the pits as none', () => {
  const again = [lines(90, { 1: { InPit: true } }), lines(91, { 1: { InPit: true, PitOut: false } })];
  assert.deepEqual(stopsOf(followRace([...start(false), ...again])), [1, 0]);
  const put = [lines(90, { 4: { Stopped: true } }), lines(400, { 4: { InPit: true } })];
  assert.deepEqual(stopsOf(followRace([...start(false), ...put])), [0, 0]);
});

test('tires that were not changed continue their stint, whichever entry reports their laps', () => {
  const picture = followRace([
    ...start(false),
    stints(10, 1, { 0: { TotalLaps: 2 }, 1: { Compound: 'SOFT', TyresNotChanged: '1', TotalLaps: 2, StartLaps: 2 } }),
    stints(20, 1, { 0: { TotalLaps: 12 } }),
    stints(30, 1, { 2: { Compound: 'HARD', New: 'true', TyresNotChanged: '0', TotalLaps: 0, StartLaps: 0 } }),
  ]);
  assert.deepEqual(
    picture.car('1')!.stints.map(({ compound, tireAge, fromLap }) => [compound, tireAge, fromLap]),
    [
      ['SOFT', 12, 1],
      ['HARD', 0, 13],
    ],
  );
});

test('without pit data a tire change counts as a stop, with the track status at that time', () => {
  const picture = followRace([
    ...start(false),
    stints(800, 1, { 0: { TotalLaps: 10 } }),
    at(810, 'TrackStatus', { Status: '4' }),
    at(811, 'LapCount', { CurrentLap: 11 }),
    stints(820, 1, { 1: { Compound: 'HARD', New: 'true', TotalLaps: 0, StartLaps: 0 } }),
  ]);
  assert.deepEqual(picture.car('1')!.visits, [{ inLap: 11, status: 'safety_car', compound: 'SOFT', tireAge: 10 }]);
  assert.equal(picture.car('1')!.stops, 1);
});

test('the gap of a lapped car is unknown until laps have been timed', () => {
  const lapped = [...start(false), lines(200, { 1: { GapToLeader: 'LAP 3' }, 4: { GapToLeader: '1L' } })];
  assert.deepEqual(
    followRace(lapped)
      .order()
      .map(({ gapSeconds }) => gapSeconds),
    [0, null],
  );
  const cars = SCRIPTED_NUMBERS.map((number) => ({ number, seconds: 0 }));
  const last = String(SCRIPTED_NUMBERS.at(-1));
  const timed = followRace([...scriptedRace({ cars, laps: 5 }), lines(500, { [last]: { GapToLeader: '1L' } })]);
  const { gapSeconds } = timed.order().find(({ car }) => car.number === last)!;
  assert.ok(Math.abs(gapSeconds! - 91.5) < 3, `${gapSeconds}`);
});

test('laps behind a safety car and the lap after the restart are not clean', () => {
  const [number] = SCRIPTED_NUMBERS;
  const race = scriptedRace({ cars: SCRIPTED_NUMBERS.map((number) => ({ number, seconds: 0 })), laps: 10 });
  // A lap takes a little over 90 s, so the safety car comes out on lap 4 and in on lap 5.
  const flags = [at(320, 'TrackStatus', { Status: '4' }), at(400, 'TrackStatus', { Status: '1' })];
  const picture = followRace([...race, ...flags].sort((a, b) => a.utcMs - b.utcMs));
  const clean = picture.car(String(number))!.laps.filter((lap) => lap.clean);
  assert.deepEqual(
    clean.map(({ lap }) => lap),
    [2, 3, 7, 8, 9, 10],
  );
});
