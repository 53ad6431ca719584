// Positions, battles, laps and stopped cars. A gap in a live connection must not invent events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import {
  at,
  DRIVERS,
  driveOn,
  eventsFrom,
  lines,
  order,
  raceControl,
  raceEventsFrom,
  raceUnderWay,
} from '#test/racing/scripted-session.ts';

const POSITIONS = ['position_gained', 'position_lost'] as const;
const ALL = Object.keys(DRIVERS).map(Number);

/** Returns changes of position as `TLA places position cause`, with a minus for a loss. */
function positionsOf(...frames: (Frame | Frame[])[]): string[] {
  return raceEventsFrom([...raceUnderWay(), ...frames.flat()], POSITIONS).map(
    ({ event, data, drivers }) =>
      `${drivers[0]!.tla} ${event === 'position_lost' ? '-' : '+'}${data.places} P${data.position} ${data.cause}`,
  );
}

const drive = (...seconds: number[]) => seconds.flatMap((second) => driveOn(second, ...ALL));

test('a stop loses all its places in one event, and each driver who gains a place has one', () => {
  const stop = [
    lines(20, { 4: { InPit: true } }),
    order(21, [1, 16, 4, 44]),
    order(25, [1, 16, 44, 4]),
    lines(40, { 4: { InPit: false, PitOut: true } }),
  ];
  assert.deepEqual(positionsOf(stop, drive(39, 41, 50)), [
    'NOR -2 P4 pit_stop',
    'LEC +1 P2 pit_stop',
    'HAM +1 P3 pit_stop',
  ]);
});

test('a driver who is back where he was makes no event', () => {
  const stop = [lines(20, { 4: { InPit: true } }), order(21, [1, 16, 4]), lines(29, { 4: { InPit: false } })];
  assert.deepEqual(positionsOf(stop, order(30, [1, 4, 16]), drive(60, 80)), []);
  assert.deepEqual(positionsOf(order(20, [1, 16, 4]), drive(25), order(30, [1, 4, 16]), drive(60, 80)), []);
});

test('a place that an overtake has reported is not reported again', () => {
  const pass = [order(20, [1, 16, 4]), ...drive(25, 30, 36, 60, 90)];
  assert.deepEqual(positionsOf(pass), []);
  assert.deepEqual(eventsFrom([...raceUnderWay(), ...pass], ['overtake']), ['overtake LEC NOR']);
});

test('places gained from a car that stopped have the cause retirement, and that car makes no event', () => {
  const out = [order(20, [1, 16, 44, 4]), lines(22, { 4: { Stopped: true } })];
  assert.deepEqual(positionsOf(out, drive(30, 40, 50)), ['LEC +1 P2 retirement', 'HAM +1 P3 retirement']);
});

test('changes on the lap of a start are emitted after it, and changes under a red flag are not emitted', () => {
  const lap = (seconds: number, CurrentLap: number) => at(seconds, 'LapCount', { CurrentLap });
  const start = raceControl(9, { Category: 'Other', Message: 'STANDING START' });
  const after = [order(20, [1, 16, 4]), ...drive(25, 36, 60)];
  assert.deepEqual(positionsOf(start, lap(10, 11), after), []);
  assert.deepEqual(positionsOf(start, lap(10, 11), after, lap(70, 12), drive(71, 86)), [
    'NOR -1 P3 start',
    'LEC +1 P2 start',
  ]);
  assert.deepEqual(
    positionsOf(at(10, 'TrackStatus', { Status: '5' }), after, at(65, 'TrackStatus', { Status: '1' }), drive(80)),
    [],
  );
});

test('a place lost in any other way is emitted once, with the cause other', () => {
  const losses = [order(20, [4, 1]), order(21, [16, 1], 2), order(22, [44, 1], 3), order(23, [55, 1], 4)];
  assert.deepEqual(
    positionsOf(losses, drive(24, 35, 50, 82, 84, 99)).filter((text) => text.startsWith('VER')),
    ['VER -4 P5 other'],
  );
});

test('a car whose position is told for the first time has gained and cost nobody a place', () => {
  const car = { InPit: false, PitOut: false, NumberOfLaps: 9 };
  const joined = [
    ...raceUnderWay().filter(({ topic }) => topic !== 'TimingData'),
    lines(0, { 44: { ...car, Position: '4' }, 55: { ...car, Position: '5' }, 77: car }),
    lines(10, {
      1: { ...car, Position: '1' },
      16: { ...car, Position: '3' },
      63: { ...car, Position: '6' },
      77: { Position: '7' },
    }),
    order(20, [55, 44], 4),
    order(21, [77, 63], 6),
    ...drive(25, 36, 60, 90),
  ];
  assert.deepEqual(eventsFrom(joined, ['overtake', ...POSITIONS]), ['overtake SAI HAM', 'overtake BOT RUS']);
});

const gap = (seconds: number, number: number, Value: string) =>
  lines(seconds, { [number]: { IntervalToPositionAhead: { Value } } });

function battlesOf(...frames: (Frame | Frame[])[]): string[] {
  return raceEventsFrom([...raceUnderWay(), ...frames.flat()], ['battle_start', 'battle_end']).map(
    ({ event, data, drivers }) => [event, ...drivers.map(({ tla }) => tla), data.cause ?? data.gapMs].join(' '),
  );
}

test('a battle starts when a gap of a second has held for half a minute, and ends when it has grown', () => {
  const close = [gap(10, 16, '+0.900'), gap(30, 16, '+1.000')];
  assert.deepEqual(battlesOf(close, drive(39)), []);
  assert.deepEqual(battlesOf(close, gap(35, 16, '+1.001'), drive(60)), []);
  const battle = [...close, ...drive(40)];
  assert.deepEqual(battlesOf(battle), ['battle_start NOR LEC 1000']);
  assert.deepEqual(battlesOf(battle, gap(50, 16, '+1.900'), drive(90)).length, 1);
  assert.deepEqual(battlesOf(battle, gap(50, 16, '+2.100'), gap(55, 16, '+1.500'), drive(90)).length, 1);
  assert.deepEqual(battlesOf(battle, gap(50, 16, '+2.100'), drive(59)).length, 1);
  const twice = [gap(50, 16, '+2.100'), gap(55, 16, '+1.500'), gap(70, 16, '+2.100')];
  assert.deepEqual(battlesOf(battle, twice, drive(75)).length, 1);
  assert.deepEqual(battlesOf(battle, gap(50, 16, '+2.100'), drive(60, 70)).slice(1), ['battle_end NOR LEC gap']);
});

test('a battle outlasts a pass, and ends at once when one of the two stops or the race is neutralised', () => {
  const battle = [gap(10, 16, '+0.900'), ...drive(40)];
  const swapped = [order(50, [16, 4], 2), gap(50, 4, '+0.400')];
  assert.deepEqual(battlesOf(battle, swapped, drive(80), lines(90, { 4: { InPit: true } })).slice(1), [
    'battle_end LEC NOR pits',
  ]);
  assert.deepEqual(battlesOf(battle, lines(90, { 4: { Stopped: true } })).slice(1), ['battle_end NOR LEC stopped']);
  assert.deepEqual(battlesOf(battle, at(90, 'TrackStatus', { Status: '4' })).slice(1), [
    'battle_end NOR LEC neutralised',
  ]);
  assert.deepEqual(battlesOf(battle, order(50, [4, 44, 16], 2), drive(55, 60)).slice(1), ['battle_end NOR LEC order']);
});

test('there are no battles in practice, with a lapped car, from the pits or under a safety car', () => {
  const close = [gap(10, 16, '+0.500'), ...drive(40, 60)];
  assert.deepEqual(eventsFrom([...raceUnderWay('Practice'), ...close], ['battle_start']), []);
  assert.deepEqual(battlesOf(gap(10, 16, '1L'), drive(40)), []);
  assert.deepEqual(battlesOf(lines(5, { 4: { PitOut: true } }), close), []);
  assert.deepEqual(battlesOf(at(5, 'TrackStatus', { Status: '4' }), close), []);
});

const lap = (seconds: number, number: number, Value: string, flags: object = { PersonalFastest: true }) =>
  lines(seconds, { [number]: { LastLapTime: { Value, ...flags } } });

function bestsOf(type: string, ...frames: Frame[]) {
  return raceEventsFrom([...raceUnderWay(type), ...frames], ['personal_best']).map(
    ({ data, drivers }) => `${drivers[0]!.tla} ${(data.time as { display: string }).display}`,
  );
}

test('a personal best beats all earlier laps; the first lap of a race has nothing to beat', () => {
  const laps = [lap(10, 4, '1:31.000'), lap(11, 4, '1:31.500'), lap(12, 4, '1:30.000'), lap(13, 4, '1:30.500')];
  assert.deepEqual(bestsOf('Race', ...laps), ['NOR 1:30.000']);
  assert.deepEqual(bestsOf('Practice', ...laps), ['NOR 1:31.000', 'NOR 1:30.000']);
});

test('a personal best is emitted even when its mark comes after the time, or after the best lap', () => {
  const time = lines(10, { 4: { LastLapTime: { Value: '1:31.000' }, BestLapTime: { Value: '1:31.000' } } });
  const mark = lines(10.1, { 4: { LastLapTime: { PersonalFastest: true } } });
  assert.deepEqual(bestsOf('Practice', time), []);
  assert.deepEqual(bestsOf('Practice', time, mark), ['NOR 1:31.000']);
});

test('after a deleted lap, the next lap is compared with the one before it', () => {
  const deleted = lines(12, { 4: { BestLapTime: { Value: '1:31.000' } } });
  const laps = [
    lap(10, 4, '1:31.000'),
    lap(11, 4, '1:29.000'),
    deleted,
    lap(13, 4, '1:30.000', { OverallFastest: true }),
  ];
  assert.deepEqual(bestsOf('Practice', ...laps), ['NOR 1:31.000', 'NOR 1:29.000', 'NOR 1:30.000']);
  assert.deepEqual(eventsFrom([...raceUnderWay('Practice'), ...laps], ['fastest_lap']), ['fastest_lap NOR']);
});

test('a car that stops on the track makes one event for the lap, and a car that stops in the pits makes none', () => {
  const stopped = (...frames: Frame[]) => eventsFrom([...raceUnderWay(), ...frames], ['stopped']);
  const stops = (seconds: number, Stopped: boolean) => lines(seconds, { 4: { Stopped } });
  assert.deepEqual(stopped(stops(10, true), stops(11, false), stops(12, true)), ['stopped NOR']);
  assert.deepEqual(stopped(lines(9, { 4: { InPit: true } }), stops(10, true)), []);
  assert.deepEqual(stopped(at(9, 'SessionStatus', { Status: 'Finished' }), stops(10, true)), []);
});

test('a gap in a live connection invents nothing, and a changed track status after it makes its event', () => {
  const car = { InPit: false, PitOut: false, Stopped: false, Retired: false, NumberOfLaps: 14 };
  const numbers = [4, 81, 16, 44, 55, 63, 77, 1];
  const moved = Object.fromEntries(
    numbers.map((number, index) => [
      number,
      {
        ...car,
        Position: String(index + 1),
        IntervalToPositionAhead: { Value: '+9.000' },
        LastLapTime: { Value: '1:28.000', OverallFastest: true, PersonalFastest: true },
        BestLapTime: { Value: '1:28.000' },
        ...(number === 63 ? { InPit: true } : {}),
        ...(number === 55 ? { Stopped: true } : {}),
        ...(number === 77 ? { Retired: true, Stopped: true } : {}),
      },
    ]),
  );
  const frames = [
    ...raceUnderWay(),
    lap(5, 4, '1:31.000'),
    at(100, 'TrackStatus', { _kf: true, Status: '4', Message: 'SCDeployed' }),
    at(100, 'TimingData', { _kf: true, Lines: moved }),
    at(100, 'TimingData', { _kf: true, Lines: moved }),
    ...driveOn(105, 4, 81, 16, 44, 55, 1),
    ...driveOn(180, 4, 81, 16, 44, 55, 1),
    lap(181, 16, '1:28.500'),
  ];
  assert.deepEqual(eventsFrom(frames).slice(1), ['safety_car_deployed', 'retirement BOT']);
  assert.deepEqual(eventsFrom([...frames, lines(190, { 63: { InPit: false } })]).slice(3), ['pit_exit RUS']);
});

test('a pass that is pending when a gap starts is not emitted after it', () => {
  const cars = (...numbers: number[]) =>
    Object.fromEntries(numbers.map((number, index) => [number, { NumberOfLaps: 9, Position: String(index + 1) }]));
  const snapshot = at(25, 'TimingData', { _kf: true, Lines: cars(1, 16, 4, 44, 55, 63, 77, 81) });
  const frames = [...raceUnderWay(), order(20, [1, 16, 4]), snapshot, ...drive(30, 40, 90)];
  assert.deepEqual(eventsFrom(frames).slice(1), []);
});

test('a connection that joins late gets no events of the past', () => {
  const joined = [
    at(0, 'SessionInfo', { Type: 'Race', Name: 'Race', _kf: true }),
    at(0, 'SessionStatus', { Status: 'Started', _kf: true }),
    at(0, 'TrackStatus', { Status: '5', _kf: true }),
    at(0, 'LapCount', { CurrentLap: 30, TotalLaps: 50, _kf: true }),
    at(0, 'DriverList', DRIVERS),
    at(0, 'TimingData', {
      _kf: true,
      Lines: { 4: { Position: '1', InPit: true, Stopped: true, Retired: true, BestLapTime: { Value: '1:30.000' } } },
    }),
    at(0, 'WeatherData', { Rainfall: '1', _kf: true }),
    lap(1, 4, '1:31.000', { OverallFastest: true, PersonalFastest: true }),
  ];
  assert.deepEqual(eventsFrom(joined), []);
});
