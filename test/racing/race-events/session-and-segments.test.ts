// Interruptions, parts of qualifying, milestones, rain, radio and the championship.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import {
  at,
  DRIVERS,
  driveOn,
  eventsFrom,
  lines,
  raceEventsFrom,
  raceUnderWay,
  START_MS,
  timelineFrom,
} from '#test/racing/scripted-session.ts';

const status = (seconds: number, Status: string) => at(seconds, 'SessionStatus', { Status });
const statuses = (...names: string[]) => names.map((name, index) => status(index, name));

test('an interruption and its end make one event each', () => {
  assert.deepEqual(eventsFrom(statuses('Inactive', 'Started', 'Aborted', 'Inactive', 'Started', 'Finalised')), [
    'session_start',
    'session_aborted',
    'session_resumed',
    'session_end',
  ]);
});

test('a connection that joins an interrupted session gets session_resumed, but not session_aborted', () => {
  assert.deepEqual(eventsFrom(statuses('Aborted', 'Inactive', 'Started')), ['session_resumed']);
});

test('a session that ends during an interruption does not resume', () => {
  assert.deepEqual(eventsFrom(statuses('Inactive', 'Started', 'Aborted', 'Finished', 'Ends')).slice(1), [
    'session_aborted',
    'session_end',
  ]);
});

const info = (Type: string) => at(0, 'SessionInfo', { Type, Name: Type });
const part = (seconds: number, SessionPart: number) => at(seconds, 'TimingData', { SessionPart });
const SEGMENTS: RaceEventType[] = ['segment_start', 'segment_end', 'knocked_out', 'session_resumed'];

function segmentsOf(frames: Iterable<Frame>): string[] {
  return raceEventsFrom(frames, SEGMENTS).map(({ event, data }) => `${event} ${data.part ?? ''}`.trim());
}

test('each part of qualifying starts and ends once, even if it is interrupted', () => {
  const frames = [
    info('Qualifying'),
    status(1, 'Inactive'),
    part(2, 1),
    status(3, 'Started'),
    status(4, 'Aborted'),
    status(5, 'Inactive'),
    status(6, 'Started'),
    status(7, 'Finished'),
    part(8, 2),
    status(9, 'Inactive'),
    status(10, 'Started'),
    status(11, 'Aborted'),
    status(12, 'Finished'),
    at(13, 'SessionData', { Series: [{ Utc: 'x', QualifyingPart: 3 }] }),
    status(14, 'Started'),
    status(15, 'Finalised'),
  ];
  assert.deepEqual(segmentsOf(frames), [
    'segment_start 1',
    'session_resumed',
    'segment_end 1',
    'segment_start 2',
    'segment_end 2',
    'segment_start 3',
    'segment_end 3',
  ]);
});

test('a connection that joins during a part gets only its end; a race has no parts', () => {
  const joined = (type: string) => [info(type), status(1, 'Started'), part(1, 2), status(5, 'Finished')];
  assert.deepEqual(segmentsOf(joined('Qualifying')), ['segment_end 2']);
  assert.deepEqual(segmentsOf(joined('Race')), []);
});

test('knocked_out comes once for each driver, by position; drivers who are out in the first message make none', () => {
  const frames = [
    info('Qualifying'),
    at(0, 'DriverList', DRIVERS),
    status(0, 'Inactive'),
    part(0, 1),
    lines(0, {
      1: { KnockedOut: false, Position: '1' },
      4: { KnockedOut: false, Position: '17' },
      16: { KnockedOut: true, Position: '20' },
      44: { KnockedOut: false, Position: '16' },
    }),
    status(1, 'Started'),
    status(2, 'Finished'),
    at(3, 'TimingData', { SessionPart: 2, Lines: { 4: { KnockedOut: true }, 44: { KnockedOut: true } } }),
    lines(4, { 4: { KnockedOut: false } }),
    lines(5, { 4: { KnockedOut: true } }),
  ];
  const out = raceEventsFrom(frames, ['knocked_out']).map(({ data, drivers }) => [drivers[0]!.tla, data]);
  assert.deepEqual(out, [
    ['HAM', { part: 1, position: 16 }],
    ['NOR', { part: 1, position: 17 }],
  ]);
});

test('a connection that joins during a part tells the part in which drivers are knocked out', () => {
  const frames = (...joined: Frame[]) => [
    info('Qualifying'),
    ...joined,
    lines(2, { 4: { KnockedOut: false, Position: '17' } }),
    status(5, 'Finished'),
    at(6, 'TimingData', { SessionPart: 2, Lines: { 4: { KnockedOut: true } } }),
  ];
  const partOf = (...joined: Frame[]) =>
    raceEventsFrom(frames(...joined), ['knocked_out']).map(({ data }) => data.part);
  assert.deepEqual(partOf(status(1, 'Started'), part(1, 1)), [1]);
  assert.deepEqual(partOf(status(1, 'Aborted'), part(1, 1), status(2, 'Started')), [1]);
  assert.deepEqual(partOf(part(1, 1), status(1, 'Started')), [1]);
  // Between two parts nothing says which one is over.
  assert.deepEqual(partOf(status(1, 'Finished')), [undefined]);
});

test('milestones come when the laps are completed, each once; of several at once, only the last comes', () => {
  const laps = (...counts: number[]) =>
    counts.map((CurrentLap, index) => at(10 + index, 'LapCount', { CurrentLap, TotalLaps: 50 }));
  const events = (...counts: number[]) =>
    raceEventsFrom([...raceUnderWay(), ...laps(...counts)], ['milestone']).map(({ data }) => data.percent);
  assert.deepEqual(events(13, 14, 25, 26, 38, 39, 45, 46, 50), [25, 50, 75, 90]);
  assert.deepEqual(events(13, 40, 41), [75]);
  const late = [info('Race'), at(1, 'LapCount', { CurrentLap: 30, TotalLaps: 50 }), ...laps(39)];
  assert.deepEqual(
    raceEventsFrom(late, ['milestone']).map(({ data }) => data),
    [{ percent: 75, lapsCompleted: 38, totalLaps: 50 }],
  );
});

test('a drizzle with dry pauses counts as one rain', () => {
  const weather = (minute: number, Rainfall: string) =>
    at(minute * 60, 'WeatherData', { AirTemp: `${minute}.0`, Rainfall });
  const minutes = ['0', '1', '0', '1', '0', '0', '0', '0', '0', '1'];
  assert.deepEqual(
    raceEventsFrom(minutes.map((rainfall, minute) => weather(minute, rainfall))).map(({ event, utc }) => [
      event,
      utc.slice(14, 16),
    ]),
    [
      ['rain_start', '01'],
      ['rain_stop', '07'],
      ['rain_start', '09'],
    ],
  );
  assert.deepEqual(eventsFrom([weather(0, '1'), weather(1, '1')]), []);
});

test('a new radio message makes an event, and an old one does not', () => {
  const capture = (seconds: number, RacingNumber: string) => ({
    Utc: new Date(START_MS + seconds * 1_000).toISOString(),
    RacingNumber,
    Path: `TeamRadio/${RacingNumber}.mp3`,
  });
  const frames = [
    at(0, 'DriverList', DRIVERS),
    at(500, 'TeamRadio', { Captures: [capture(100, '4'), capture(495, '44')] }),
    at(510, 'TeamRadio', { Captures: { 2: capture(510, '16') } }),
    at(511, 'TeamRadio', { Captures: { 2: { RacingNumber: '1' } } }),
  ];
  assert.deepEqual(
    raceEventsFrom(frames).map(({ event, data, drivers }) => [event, data.radioPath, drivers[0]!.tla]),
    [
      ['team_radio', 'TeamRadio/44.mp3', 'HAM'],
      ['team_radio', 'TeamRadio/16.mp3', 'LEC'],
    ],
  );
});

test('entries without a racing number make no radio events and lead no championship', () => {
  const named = 'x'.repeat(1_000);
  const standings = (seconds: number, leader: string, other: string) =>
    at(seconds, 'ChampionshipPrediction', {
      Drivers: { [leader]: { PredictedPosition: 1 }, [other]: { PredictedPosition: 2 } },
    });
  const frames = [
    ...raceUnderWay(),
    at(10, 'TeamRadio', {
      Captures: [{ Utc: new Date(START_MS + 9_000).toISOString(), RacingNumber: named, Path: 'a' }],
    }),
    standings(20, '4', named),
    standings(30, named, '4'),
    ...driveOn(90, 4),
  ];
  assert.deepEqual(eventsFrom(frames, ['team_radio', 'championship_change']), []);
  assert.ok(timelineFrom(frames).info.rosters.every(({ drivers }) => drivers.every(({ number }) => number !== named)));
});

test('a new leader of the predicted championship is reported after leading it for half a minute', () => {
  const prediction = (seconds: number, first: number, second: number, team = 'McLaren') =>
    at(seconds, 'ChampionshipPrediction', {
      Drivers: {
        [first]: { PredictedPosition: 1, PredictedPoints: 300 },
        [second]: { PredictedPosition: 2, PredictedPoints: 290 },
      },
      Teams: {
        McLaren: { TeamName: 'McLaren', PredictedPosition: team === 'McLaren' ? 1 : 2, PredictedPoints: 600 },
        Ferrari: { TeamName: 'Ferrari', PredictedPosition: team === 'Ferrari' ? 1 : 2, PredictedPoints: 601 },
      },
    });
  const tick = (seconds: number) => lines(seconds, { 81: { NumberOfLaps: seconds } });
  const events = (...frames: Frame[]) =>
    raceEventsFrom([...raceUnderWay(), ...frames], ['championship_change']).map(({ drivers, data }) => [
      drivers.map(({ tla }) => tla).join(' '),
      data,
    ]);
  assert.deepEqual(events(prediction(1, 1, 4), prediction(5, 4, 1), tick(34), prediction(34.5, 1, 4), tick(80)), []);
  const [drivers, teams] = events(prediction(1, 1, 4), prediction(5, 4, 1, 'Ferrari'), tick(34), tick(35), tick(80));
  assert.deepEqual(drivers, ['NOR VER', { championship: 'drivers', previousLeaderNumber: '1', points: 300 }]);
  const ids = { constructorId: 'ferrari', previousConstructorId: 'mclaren' };
  assert.deepEqual(teams, [
    '',
    { championship: 'teams', team: 'Ferrari', previousTeam: 'McLaren', ...ids, points: 601 },
  ]);
});
