// The sixteen original types of race events. The files beside this one test the others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import {
  at,
  driveOn,
  lines,
  order,
  raceControl,
  raceUnderWay,
  raceEventsFrom as typedEventsFrom,
  eventsFrom as typedTextsFrom,
} from '#test/racing/scripted-session.ts';

const TYPES = RACE_EVENT_TYPES.slice(0, RACE_EVENT_TYPES.indexOf('chequered_flag') + 1);
const raceEventsFrom = (frames: Iterable<Frame>) => typedEventsFrom(frames, TYPES);
const eventsFrom = (frames: Iterable<Frame>) => typedTextsFrom(frames, TYPES);

/** Returns the events of these frames in a race under way. */
function eventsAfter(...frames: (Frame | Frame[])[]): string[] {
  const events = eventsFrom([...raceUnderWay(), ...frames.flat()]);
  assert.equal(events[0], 'session_start');
  return events.slice(1);
}

const status = (seconds: number, Status: string) => at(seconds, 'SessionStatus', { Status });
const track = (seconds: number, Status: string) => at(seconds, 'TrackStatus', { Status });
const lap = (seconds: number, CurrentLap: number) => at(seconds, 'LapCount', { CurrentLap });
const SAFETY_CAR = { Category: 'SafetyCar', Mode: 'SAFETY CAR' };

test('a session starts once and ends once, even if it is interrupted', () => {
  const statuses = ['Inactive', 'Started', 'Aborted', 'Inactive', 'Started', 'Finished', 'Finalised', 'Ends'];
  assert.deepEqual(eventsFrom(statuses.map((Status, index) => status(index, Status))), [
    'session_start',
    'session_end',
  ]);
});

test('a session that ends without Finalised has a session_end, too', () => {
  assert.deepEqual(eventsFrom(['Inactive', 'Started', 'Ends'].map((Status, index) => status(index, Status))), [
    'session_start',
    'session_end',
  ]);
});

test('a connection that joins late gets no start of a running session, and no end of one that was over', () => {
  assert.deepEqual(eventsFrom([status(0, 'Started'), status(1, 'Finalised')]), ['session_end']);
  assert.deepEqual(eventsFrom([status(0, 'Finalised'), status(1, 'Ends')]), []);
  assert.deepEqual(eventsFrom([status(0, 'Inactive'), status(1, 'Ends')]), []);
});

test('race control shows the chequered flag: a new message makes an event, history and corrections do not', () => {
  const shown = raceControl(5, { Category: 'Flag', Flag: 'CHEQUERED' });
  const number = Object.keys(JSON.parse(shown.json).Messages)[0]!;
  const corrected = at(6, 'RaceControlMessages', { Messages: { [number]: { Message: 'THE FLAG' } } });
  assert.deepEqual(eventsFrom([shown, corrected]), ['chequered_flag']);
  assert.deepEqual(eventsFrom([{ ...shown, utcMs: shown.utcMs + 61_000 }]), []);
});

test('flags are emitted when the track status changes', () => {
  const statuses = ['1', '2', '2', '1', '5', '1', '3', '1'];
  assert.deepEqual(eventsFrom(statuses.map((Status, index) => track(index, Status))), [
    'yellow_flag',
    'track_clear',
    'red_flag',
    'track_clear',
    'track_clear',
  ]);
});

test('one safety car has one deployment and one ending; race control announces it a lap before the track is clear', () => {
  const events = eventsFrom([
    track(0, '1'),
    raceControl(9, { ...SAFETY_CAR, Status: 'DEPLOYED' }),
    track(10, '4'),
    raceControl(40, { ...SAFETY_CAR, Status: 'THROUGH THE PIT LANE' }),
    raceControl(50, { ...SAFETY_CAR, Status: 'IN THIS LAP' }),
    raceControl(51, { ...SAFETY_CAR, Status: 'IN THIS LAP' }),
    track(90, '1'),
  ]);
  assert.deepEqual(events, ['safety_car_deployed', 'safety_car_ending', 'track_clear']);
});

test('a safety car that race control does not call in ends with the track status', () => {
  assert.deepEqual(eventsFrom([track(0, '4'), track(9, '1')]), [
    'safety_car_deployed',
    'safety_car_ending',
    'track_clear',
  ]);
  assert.deepEqual(eventsFrom([track(0, '4'), track(9, '5')]), [
    'safety_car_deployed',
    'safety_car_ending',
    'red_flag',
  ]);
});

test('a safety car that stays out after all is deployed again', () => {
  const events = eventsFrom([
    track(0, '4'),
    raceControl(50, { ...SAFETY_CAR, Status: 'IN THIS LAP' }),
    raceControl(60, { ...SAFETY_CAR, Status: 'DEPLOYED' }),
    track(90, '1'),
  ]);
  assert.deepEqual(events, [
    'safety_car_deployed',
    'safety_car_ending',
    'safety_car_deployed',
    'safety_car_ending',
    'track_clear',
  ]);
});

test('one virtual safety car has one deployment and one ending, even when a real one follows', () => {
  assert.deepEqual(eventsFrom(['6', '7', '1'].map((Status, index) => track(index, Status))), [
    'virtual_safety_car_deployed',
    'virtual_safety_car_ending',
    'track_clear',
  ]);
  assert.deepEqual(eventsFrom(['6', '4'].map((Status, index) => track(index, Status))), [
    'virtual_safety_car_deployed',
    'virtual_safety_car_ending',
    'safety_car_deployed',
  ]);
});

test('a stop has an entry and an exit, with its number and the time between them', () => {
  const frames = [
    ...raceUnderWay(),
    lines(10, { 4: { InPit: true } }),
    lines(32.5, { 4: { InPit: false, PitOut: true } }),
    lines(90, { 4: { InPit: true } }),
  ];
  const visits = raceEventsFrom(frames).slice(1);
  assert.deepEqual(
    visits.map(({ event, data, drivers }) => [event, data, drivers[0]!.tla]),
    [
      ['pit_entry', { stop: 1 }, 'NOR'],
      ['pit_exit', { stop: 1, pitLaneMs: 22_500 }, 'NOR'],
      ['pit_entry', { stop: 2 }, 'NOR'],
    ],
  );
});

test('cars that leave the pits for the grid, or enter them under a red flag, do not stop', () => {
  const inPit = (seconds: number, InPit: boolean) => lines(seconds, { 4: { InPit } });
  const info = at(0, 'SessionInfo', { Type: 'Race' });
  assert.deepEqual(
    eventsFrom([
      info,
      status(0, 'Inactive'),
      inPit(1, true),
      inPit(2, false),
      inPit(3, true),
      status(9, 'Started'),
      inPit(10, false),
    ]),
    ['session_start'],
  );
  assert.deepEqual(eventsAfter(status(5, 'Aborted'), inPit(6, true), status(600, 'Started'), inPit(610, false)), []);
});

test('a pit_exit has no time in the pit lane if the session was interrupted during the visit', () => {
  const frames = [
    ...raceUnderWay(),
    lines(5, { 4: { InPit: true } }),
    status(6, 'Aborted'),
    status(900, 'Started'),
    lines(910, { 4: { InPit: false } }),
  ];
  assert.deepEqual(raceEventsFrom(frames).at(-1)!.data, { stop: 1 });
});

test('in qualifying the first exit from the garage makes a pit_exit without a number', () => {
  const frames = [
    at(0, 'SessionInfo', { Type: 'Qualifying' }),
    lines(0, { 4: { InPit: true } }),
    status(0, 'Inactive'),
    status(1, 'Started'),
    lines(2, { 4: { InPit: false } }),
  ];
  const last = raceEventsFrom(frames).at(-1)!;
  assert.deepEqual([last.event, last.data], ['pit_exit', {}]);
});

test('a pass that holds for ten seconds while the passed car keeps driving is one overtake', () => {
  const frames = [
    ...raceUnderWay(),
    order(20, [44, 16], 3),
    ...driveOn(22, 16, 44),
    ...driveOn(29, 63),
    ...driveOn(30, 63, 81),
  ];
  const overtakes = raceEventsFrom(frames).slice(1);
  assert.equal(overtakes.length, 1);
  const [{ event, data, drivers, utc }] = overtakes as [(typeof overtakes)[0]];
  assert.equal(event, 'overtake');
  assert.deepEqual([data.overtakenNumber, data.position], ['16', 3]);
  assert.deepEqual(
    drivers.map(({ tla, position }) => [tla, position]),
    [
      ['HAM', 3],
      ['LEC', 4],
    ],
  );
  assert.equal(utc, '2025-05-04T20:00:30.000Z');
});

test('a pass that comes in two frames is one overtake, and two drivers passed at once are two', () => {
  assert.deepEqual(
    eventsAfter(
      lines(20, { 44: { Position: '3' } }),
      lines(20.2, { 16: { Position: '4' } }),
      driveOn(25, 16),
      driveOn(31, 63),
    ),
    ['overtake HAM LEC'],
  );
  assert.deepEqual(eventsAfter(order(20, [55, 16, 44], 3), driveOn(25, 16, 44), driveOn(31, 81)), [
    'overtake SAI LEC',
    'overtake SAI HAM',
  ]);
});

test('when a pass is undone within ten seconds, neither driver has overtaken the other', () => {
  assert.deepEqual(
    eventsAfter(
      order(20, [44, 16], 3),
      driveOn(22, 16, 44),
      order(28, [16, 44], 3),
      driveOn(29, 16, 44),
      driveOn(60, 16, 44),
    ),
    [],
  );
});

test('an overtake waits until the passed car reaches a measuring point, and is dropped if it never does', () => {
  assert.deepEqual(eventsAfter(order(20, [44, 16], 3), driveOn(35, 44, 63), driveOn(50, 16), driveOn(51, 44)), [
    'overtake HAM LEC',
  ]);
  assert.deepEqual(eventsAfter(order(20, [44, 16], 3), driveOn(85, 44, 63), driveOn(86, 16), driveOn(87, 44)), []);
});

test('a car in the pits, on its out lap or the lap after, stopped or retired cannot be overtaken', () => {
  const pass = [order(20, [44, 16], 3), ...driveOn(22, 16, 44), ...driveOn(31, 16, 63)];
  assert.deepEqual(eventsAfter(pass), ['overtake HAM LEC']);
  for (const state of [{ InPit: true }, { PitOut: true }, { Stopped: true }, { Retired: true }, { NumberOfLaps: 0 }]) {
    for (const number of [16, 44]) {
      const before = eventsAfter(lines(19, { [number]: state }), pass).filter((event) => event.startsWith('overtake'));
      assert.deepEqual(before, [], JSON.stringify(state));
      const meanwhile = eventsAfter(pass[0]!, lines(21, { [number]: state }), pass.slice(1));
      assert.deepEqual(
        meanwhile.filter((event) => event.startsWith('overtake')),
        [],
        JSON.stringify(state),
      );
    }
  }
  const stop = [lines(5, { 16: { InPit: true } }), lines(9, { 16: { InPit: false, NumberOfLaps: 10 } })];
  assert.deepEqual(eventsAfter(stop, pass).slice(2), []);
  assert.deepEqual(eventsAfter(stop, lines(15, { 16: { NumberOfLaps: 11 } }), pass).slice(2), ['overtake HAM LEC']);
});

test('there are no overtakes on the first lap, on the lap of a start, under a safety car or under a red flag', () => {
  const pass = [order(20, [44, 16], 3), ...driveOn(22, 16, 44), ...driveOn(31, 16, 63)];
  assert.deepEqual(eventsAfter(lap(10, 1), pass), []);
  const start = raceControl(9, { Category: 'Other', Message: 'STANDING START' });
  assert.deepEqual(eventsAfter(start, lap(10, 11), pass), []);
  assert.deepEqual(eventsAfter(start, lap(10, 12), pass), ['overtake HAM LEC']);
  assert.deepEqual(eventsAfter(track(10, '4'), pass), ['safety_car_deployed']);
  assert.deepEqual(eventsAfter(track(10, '6'), pass), ['virtual_safety_car_deployed']);
  assert.deepEqual(eventsAfter(track(10, '5'), pass), ['red_flag']);
  assert.deepEqual(eventsAfter(pass[0]!, track(21, '4'), pass.slice(1)), ['safety_car_deployed']);
  assert.deepEqual(eventsAfter(status(10, 'Aborted'), pass), []);
  assert.deepEqual(eventsAfter(track(10, '2'), pass), ['yellow_flag', 'overtake HAM LEC']);
});

test('a driver who loses to more than three others at once is in trouble, not overtaken', () => {
  const losses = [order(20, [4, 1]), order(21, [16, 1], 2), order(22, [44, 1], 3), order(23, [55, 1], 4)];
  const events = eventsAfter(losses, driveOn(24, 1, 4, 16, 44, 55), driveOn(35, 81, 1), driveOn(50, 81, 1));
  assert.deepEqual(events, ['lead_change NOR VER']);
});

test('a frame that corrects the order makes no overtake', () => {
  const after = [...driveOn(25, 1, 4, 16, 44, 55, 63, 77, 81), ...driveOn(36, 1, 4)];
  assert.deepEqual(eventsAfter(order(20, [81, 4, 16, 44, 55, 63, 77, 1]), after), ['lead_change PIA VER']);
  assert.deepEqual(eventsAfter(order(20, [4, 16, 44, 1, 63, 77, 81, 55]), after), ['lead_change NOR VER']);
});

test('practice and qualifying have no overtakes and no leaders', () => {
  const frames = [...raceUnderWay('Practice'), order(20, [4, 1]), ...driveOn(22, 1, 4), ...driveOn(40, 1, 4)];
  assert.deepEqual(eventsFrom(frames), ['session_start']);
});

test('the lead changes when another driver holds it for ten seconds, even if the leader only stopped', () => {
  const stop = lines(19, { 1: { InPit: true } });
  const events = eventsAfter(
    stop,
    order(20, [4, 1]),
    driveOn(29, 4),
    driveOn(30, 4),
    order(50, [1, 4]),
    order(55, [4, 1]),
    driveOn(80, 1),
  );
  assert.deepEqual(events, ['pit_entry VER', 'lead_change NOR VER']);
});

test('a lead won just before the finish changes at the finish, and not after it', () => {
  assert.deepEqual(eventsAfter(order(20, [4, 1]), status(22, 'Finished'), driveOn(40, 4)), ['lead_change NOR VER']);
  assert.deepEqual(eventsAfter(status(20, 'Finished'), order(22, [4, 1]), driveOn(40, 4)), []);
});

test('the order on the grid and after a red flag changes no lead', () => {
  assert.deepEqual(eventsAfter(track(10, '5'), status(11, 'Aborted'), order(20, [4, 1]), driveOn(40, 4)), ['red_flag']);
  assert.deepEqual(eventsAfter(track(10, '5'), order(20, [4, 1]), driveOn(40, 4)), ['red_flag']);
});

test('a driver whom a red flag has put first leads when the race has run for ten seconds again', () => {
  const restart = [track(10, '5'), status(11, 'Aborted'), order(20, [4, 1]), track(30, '1'), status(30, 'Started')];
  const leadsAfter = (...frames: Parameters<typeof eventsAfter>) =>
    eventsAfter(restart, order(31, [44, 16], 3), ...frames).filter((event) => event.startsWith('lead_change'));
  assert.deepEqual(leadsAfter(driveOn(40, 4)), []);
  assert.deepEqual(leadsAfter(driveOn(40, 4), driveOn(41, 4)), ['lead_change NOR VER']);
  assert.deepEqual(leadsAfter(order(35, [1, 4]), driveOn(60, 1)), []);
});

test('a fastest lap must be marked and beat all earlier laps, and is emitted once', () => {
  const last = (seconds: number, number: number, Value: string, OverallFastest = true) =>
    lines(seconds, { [number]: { NumberOfLaps: seconds, LastLapTime: { Value, OverallFastest } } });
  const frames = [
    ...raceUnderWay(),
    last(10, 1, '1:30.500'),
    last(11, 4, '1:31.000', false),
    lines(11.5, { 1: { LastLapTime: { PersonalFastest: true } } }),
    last(12, 4, '1:30.600'),
    last(13, 4, '1:30.400'),
    last(13.5, 4, '1:30.300', false),
    last(14, 4, ''),
  ];
  const laps = raceEventsFrom(frames).slice(1);
  assert.deepEqual(
    laps.map(({ event, data, drivers }) => [event, data, drivers[0]!.tla]),
    [
      ['fastest_lap', { time: { display: '1:30.500', ms: 90_500 }, lap: 10 }, 'VER'],
      ['fastest_lap', { time: { display: '1:30.400', ms: 90_400 }, lap: 13 }, 'NOR'],
    ],
  );
});

test('a fastest lap in the first message makes no event, and each part of qualifying has its own', () => {
  const line = (Value: string) => ({ 4: { LastLapTime: { Value, OverallFastest: true }, BestLapTime: { Value } } });
  const frames = [
    at(0, 'TimingData', { Lines: {}, SessionPart: 1 }),
    lines(0, line('1:20.000')),
    lines(1, line('1:20.500')),
    at(2, 'TimingData', { SessionPart: 2 }),
    lines(3, line('1:20.900')),
  ];
  const told = raceEventsFrom(frames).map(({ data }) => data);
  assert.deepEqual(told, [{ time: { display: '1:20.900', ms: 80_900 }, part: 2 }]);
});

test('a retirement that the timing announces is emitted immediately and once', () => {
  const frames = [
    lines(10, { 4: { Retired: true } }),
    lines(11, { 4: { Retired: false } }),
    lines(12, { 4: { Retired: true } }),
  ];
  assert.deepEqual(eventsAfter(frames), ['retirement NOR']);
});

test('a car that stops and completes no lap for two laps of the leader has retired', () => {
  assert.deepEqual(eventsAfter(lines(10, { 4: { Stopped: true } }), lap(20, 11), lap(30, 12), lap(40, 13)), [
    'retirement NOR',
  ]);
  const drivesOn = [lines(15, { 4: { Stopped: false } }), lines(15, { 4: { NumberOfLaps: 10 } })];
  for (const frame of drivesOn) {
    assert.deepEqual(
      eventsAfter(lines(10, { 4: { Stopped: true } }), lap(14, 11), frame, lap(30, 12), lap(40, 13)),
      [],
    );
  }
  assert.deepEqual(
    eventsAfter(lines(10, { 4: { Stopped: true } }), lap(20, 11), status(21, 'Finished'), lap(30, 12)),
    [],
  );
});

test('a driver who is out in the first message makes no retirement', () => {
  assert.deepEqual(
    eventsFrom([lines(0, { 4: { Retired: true } }), lines(1, { 4: { Retired: true, Stopped: true } })]),
    [],
  );
});
