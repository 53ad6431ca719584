// Pit stops, double stacks and tires.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import { at, eventsFrom, lines, raceControl, raceEventsFrom, raceUnderWay } from '#test/racing/scripted-session.ts';

const STOPS: RaceEventType[] = ['pit_stop', 'fastest_pit_stop'];

const enter = (seconds: number, number: number) => lines(seconds, { [number]: { InPit: true } });
const leave = (seconds: number, number: number) => lines(seconds, { [number]: { InPit: false, PitOut: true } });
const tick = (seconds: number) => lines(seconds, { 81: { Speeds: { ST: { Value: String(seconds) } } } });
const laneTime = (seconds: number, number: number, Duration: string) =>
  at(seconds, 'PitLaneTimeCollection', {
    PitTimes: { [number]: { RacingNumber: String(number), Duration, Lap: '11' } },
  });
const series = (seconds: number, number: number, PitStopTime: string, PitLaneTime: string) =>
  at(seconds, 'PitStopSeries', {
    PitTimes: {
      [number]: [{ Timestamp: 'x', PitStop: { RacingNumber: String(number), PitStopTime, PitLaneTime, Lap: '11' } }],
    },
  });

function stopsOf(...frames: (Frame | Frame[])[]) {
  return raceEventsFrom([...raceUnderWay(), ...frames.flat()], STOPS).map(({ event, data, drivers }) => [
    event,
    drivers[0]!.tla,
    data,
  ]);
}

test('a stop is emitted once, ten seconds after the exit, if no topic publishes its times', () => {
  const frames = [enter(10, 4), leave(32, 4), tick(41.9)];
  assert.deepEqual(stopsOf(frames), []);
  assert.deepEqual(stopsOf(frames, tick(42), tick(60)), [
    ['pit_stop', 'NOR', { stop: 1, pitLaneMs: 22_000, source: 'timing' }],
  ]);
});

test('a stop is emitted as soon as a topic publishes its times, and a later topic does not emit it again', () => {
  const lane = [enter(10, 4), leave(32, 4), laneTime(33, 4, '21.8')];
  const expected = ['pit_stop', 'NOR', { stop: 1, pitLaneMs: 21_800, source: 'pit_lane_times' }];
  assert.deepEqual(stopsOf(lane), [expected]);
  assert.deepEqual(stopsOf(lane, at(40, 'PitLaneTimeCollection', { PitTimes: { _deleted: ['4'] } }), tick(60)), [
    expected,
  ]);
  assert.deepEqual(stopsOf(lane, series(34, 4, '2.4', '21.9'), tick(60)), [expected]);
  assert.deepEqual(
    stopsOf(enter(10, 4), series(28, 4, '2.4', '21.9'), leave(32, 4), laneTime(33, 4, '21.8'), tick(60)),
    [['pit_stop', 'NOR', { stop: 1, pitLaneMs: 21_900, stationaryMs: 2_400, source: 'pit_stop_series' }]],
  );
});

test('a car that is reported in the pits again before its stop is emitted: each visit is a stop of its own', () => {
  const again = [enter(10, 4), leave(32, 4), enter(34, 4), leave(37, 4)];
  const first = ['pit_stop', 'NOR', { stop: 1, pitLaneMs: 22_000, source: 'timing' }];
  const second = ['pit_stop', 'NOR', { stop: 2, pitLaneMs: 3_000, source: 'timing' }];
  assert.deepEqual(stopsOf(again, tick(43), tick(48)), [first, second]);
  assert.deepEqual(stopsOf(again, laneTime(38, 4, '2.9'), tick(43), tick(48)), [
    ['pit_stop', 'NOR', { stop: 2, pitLaneMs: 2_900, source: 'pit_lane_times' }],
    first,
  ]);
  const interrupted = [...again.slice(0, 3), at(35, 'SessionStatus', { Status: 'Aborted' }), tick(43)];
  assert.deepEqual(stopsOf(interrupted, at(44, 'SessionStatus', { Status: 'Started' }), leave(60, 4), tick(80)), [
    first,
  ]);
});

test('a session that has stationary times waits for them, rather than emit the lane time', () => {
  const first = [enter(10, 4), leave(32, 4), series(33, 4, '2.4', '21.9')];
  const second = [enter(50, 44), leave(72, 44), laneTime(73, 44, '21.5')];
  assert.deepEqual(stopsOf(first, second, series(75, 44, '2.2', '21.4')).slice(1), [
    ['pit_stop', 'HAM', { stop: 1, pitLaneMs: 21_400, stationaryMs: 2_200, source: 'pit_stop_series' }],
    ['fastest_pit_stop', 'HAM', { stop: 1, pitLaneMs: 21_400, stationaryMs: 2_200, measure: 'stationary' }],
  ]);
});

test('the fastest stop needs published times and an earlier stop: the times of entry and exit do not count', () => {
  const stop = (seconds: number, number: number, duration: string) => [
    enter(seconds, number),
    leave(seconds + 20, number),
    laneTime(seconds + 21, number, duration),
  ];
  const fastest = (...frames: Frame[][]) => stopsOf(...frames).filter(([event]) => event === 'fastest_pit_stop');
  assert.deepEqual(
    fastest(stop(10, 4, '22.0'), stop(40, 44, '22.1'), stop(70, 16, '21.9'), stop(100, 1, '4763.9')).map(
      ([, tla]) => tla,
    ),
    ['LEC'],
  );
  assert.deepEqual(fastest(stop(10, 4, '22.0'), [enter(40, 44), leave(50, 44), tick(61)]), []);
});

test('a visit during an interruption, or across a gap in the messages, is no stop', () => {
  const aborted = at(15, 'SessionStatus', { Status: 'Aborted' });
  const started = at(900, 'SessionStatus', { Status: 'Started' });
  assert.deepEqual(stopsOf(enter(10, 4), aborted, started, leave(910, 4), laneTime(911, 4, '900.1'), tick(930)), []);
  const snapshot = (seconds: number, InPit: boolean) =>
    at(seconds, 'TimingData', { _kf: true, Lines: { 4: { InPit, Position: '2', NumberOfLaps: 10 } } });
  assert.deepEqual(stopsOf(snapshot(10, true), leave(30, 4), tick(50)), []);
  assert.deepEqual(stopsOf(enter(10, 4), snapshot(30, false), tick(50)), []);
});

test('practice and qualifying have no pit stops', () => {
  assert.deepEqual(eventsFrom([...raceUnderWay('Practice'), enter(10, 4), leave(32, 4), tick(50)], STOPS), []);
});

test('a visit that serves a drive-through penalty is no stop, unless the car gets new tires', () => {
  const penalty = raceControl(5, { Category: 'Other', Message: 'DRIVE THROUGH PENALTY FOR CAR 4 (NOR) - SPEEDING' });
  const visit = [enter(10, 4), leave(25, 4), tick(40)];
  const tires = at(20, 'TimingAppData', { Lines: { 4: { Stints: { 1: { Compound: 'HARD' } } } } });
  const stints = at(1, 'TimingAppData', { Lines: { 4: { Stints: [{ Compound: 'SOFT' }] } } });
  assert.equal(stopsOf(stints, penalty, visit).length, 0);
  assert.equal(stopsOf(stints, penalty, visit[0]!, tires, visit.slice(1)).length, 1);
  assert.equal(stopsOf(stints, visit).length, 1);
});

test('two cars of a team that stop within seconds are a double stack', () => {
  const stack = (...frames: Frame[]) => eventsFrom([...raceUnderWay(), ...frames], ['double_stack']);
  assert.deepEqual(stack(enter(10, 81), enter(14, 4), leave(32, 81), leave(41, 4)), ['double_stack PIA NOR']);
  assert.deepEqual(stack(enter(10, 81), enter(14, 4), leave(41, 4), leave(45, 81)), ['double_stack PIA NOR']);
  assert.deepEqual(stack(enter(10, 81), enter(24, 4), leave(32, 81), leave(45, 4)), []);
  assert.deepEqual(stack(enter(10, 81), leave(14, 81), enter(15, 4), leave(45, 4)), []);
  assert.deepEqual(stack(enter(10, 1), enter(14, 4), leave(32, 1), leave(41, 4)), []);
});

const tires = (seconds: number, stint: number, fields: object) =>
  at(seconds, 'TimingAppData', { Lines: { 4: { Stints: { [stint]: fields } } } });
const firstTires = at(1, 'TimingAppData', {
  Lines: { 4: { Stints: [{ Compound: 'SOFT', New: 'true', StartLaps: 0 }] } },
});

function changesOf(...frames: Frame[]) {
  return raceEventsFrom([...raceUnderWay(), firstTires, ...frames], ['tire_change']).map(({ data }) => data);
}

test('tire_change waits until the compound is known and has stayed the same', () => {
  const stop = [enter(10, 4), leave(30, 4), tires(35, 1, { Compound: 'UNKNOWN', New: 'false', StartLaps: 3 })];
  const expected = { stint: 2, compound: 'HARD', previousCompound: 'SOFT', newTires: false, tireAgeLaps: 3 };
  assert.deepEqual(changesOf(...stop, tick(90)), []);
  assert.deepEqual(changesOf(...stop, tires(40, 1, { Compound: 'HARD' }), tick(54)), []);
  assert.deepEqual(changesOf(...stop, tires(40, 1, { Compound: 'HARD' }), tick(55), tick(99)), [expected]);
  const corrected = [tires(40, 1, { Compound: 'MEDIUM' }), tires(50, 1, { Compound: 'HARD' })];
  assert.deepEqual(changesOf(...stop, ...corrected, tick(64), tick(65), tick(99)), [expected]);
});

test('tires make no event if they were not changed, or are listed without a stop or after the end', () => {
  const listed = tires(35, 1, { Compound: 'HARD' });
  assert.deepEqual(changesOf(listed, tick(60)), []);
  const stop = [enter(10, 4), leave(30, 4)];
  assert.deepEqual(changesOf(...stop, tires(35, 1, { Compound: 'SOFT', TyresNotChanged: '1' }), tick(60)), []);
  assert.deepEqual(changesOf(...stop, at(31, 'SessionStatus', { Status: 'Finished' }), listed, tick(60)), []);
  assert.equal(changesOf(...stop, listed, tick(60)).length, 1);
});

test('a change of tires that the timing takes back within 15 seconds makes no event', () => {
  const stop = [enter(10, 4), leave(30, 4)];
  const renamed = [tires(35, 0, { Compound: 'HARD' }), tires(45, 0, { Compound: 'SOFT' })];
  assert.deepEqual(changesOf(...stop, ...renamed, tick(50), tick(90)), []);
  const begun = tires(35, 1, { Compound: 'HARD' });
  const removed = at(45, 'TimingAppData', { Lines: { 4: { Stints: { _deleted: ['1'] } } } });
  assert.deepEqual(changesOf(...stop, begun, removed, tick(50), tick(90)), []);
  assert.deepEqual(changesOf(...stop, ...renamed, tires(60, 1, { Compound: 'MEDIUM' }), tick(74), tick(75)), [
    { stint: 2, compound: 'MEDIUM', previousCompound: 'SOFT' },
  ]);
});

test('another compound in the same stint is a change of tires after a stop, and a correction otherwise', () => {
  const other = tires(35, 0, { Compound: 'HARD' });
  assert.deepEqual(changesOf(other, tick(60)), []);
  assert.equal(changesOf(enter(10, 4), leave(30, 4), other, tick(60)).length, 1);
});
