import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { deriveTimeline, SessionDeriver } from '#engine/racing/derive/derive.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { at, DRIVERS, lines, START_MS, timelineFrom, updatesFrom } from '#test/racing/scripted-session.ts';

const NORRIS = {
  driverId: 'lando-norris',
  number: '4',
  tla: 'NOR',
  name: 'Lando Norris',
  team: 'McLaren',
  constructorId: 'mclaren',
};

/** Returns the content of the last update of a feed. */
function last(frames: Parameters<typeof updatesFrom>[0], feed: string): unknown {
  const payload = updatesFrom(frames, feed).at(-1)!;
  return payload.drivers ?? payload.data;
}

test('an entry has the full identity of the driver, and otherwise only changes', () => {
  const frames = [
    at(0, 'DriverList', DRIVERS),
    lines(1, { 4: { Position: '3', InPit: false, GapToLeader: '+1.000' } }),
    lines(2, { 4: { Position: '2', InPit: false, GapToLeader: '+0.500', NumberOfLaps: 7 } }),
  ];
  assert.deepEqual(last(frames, 'timing.data'), [
    {
      ...NORRIS,
      position: 2,
      previousPosition: 3,
      gapToLeader: { display: '+0.500', seconds: 0.5 },
      lapsCompleted: 7,
    },
  ]);
});

test('a driver has only a number until the driver list has him', () => {
  const timeline = timelineFrom([
    at(0, 'LapCount', { CurrentLap: 3 }),
    lines(1, { 4: { InPit: true } }),
    at(2, 'DriverList', { 4: DRIVERS[4] }),
    lines(3, { 4: { InPit: false } }),
  ]);
  assert.deepEqual(timeline.info.rosters, [
    { fromPosition: 0, drivers: [] },
    { fromPosition: 1, drivers: [{ number: '4', tla: '', team: '' }] },
    { fromPosition: 2, drivers: [{ number: '4', tla: 'NOR', team: 'McLaren' }] },
  ]);
  const unknown = {
    driverId: null,
    number: '4',
    tla: null,
    name: null,
    team: null,
    constructorId: null,
    position: null,
  };
  assert.deepEqual(last([lines(1, { 4: { InPit: true } })], 'timing.data'), [{ ...unknown, inPit: true }]);
});

test('an update has its time, its lap, and the drivers it touches with their positions', () => {
  const timeline = timelineFrom([
    at(0, 'LapCount', { CurrentLap: 3 }),
    at(0, 'DriverList', DRIVERS),
    lines(1.5, { 4: { Position: '2' }, 81: { InPit: true } }),
  ]);
  const { columns } = timeline;
  const position = timeline.length - 1;
  assert.equal(timeline.info.startUtcMs, START_MS);
  assert.equal(columns.dueMs[position], 1_500);
  assert.deepEqual([...columns.touchedPosition.slice(columns.touchedStart[position]!)], [2, 0]);
  const { drivers } = timeline.info.rosters[timeline.rosterIndexAt(position)]!;
  const mask = columns.driversLow[position]!;
  assert.deepEqual(
    drivers.filter((_, index) => mask & (1 << index)).map(({ tla }) => tla),
    ['NOR', 'PIA'],
  );
  assert.equal(JSON.parse(new TextDecoder().decode(timeline.body(position))).lap, 3);
});

test('messages that change nothing make no update, and neither does a repeated snapshot', () => {
  const line = {
    Position: '2',
    Sectors: [{ Value: '26.111', Segments: [{ Status: 2049 }] }],
    LastLapTime: { Value: '' },
  };
  const count = (...frames: Parameters<typeof at>[]) => updatesFrom(frames.map((frame) => at(...frame))).length;
  const first: Parameters<typeof at> = [0, 'TimingData', { Lines: { 4: line } }];
  assert.equal(count(first), 1);
  assert.equal(count(first, first, [2, 'TimingData', { Lines: { 4: { ...line, _kf: true } }, _kf: true }]), 1);
  assert.equal(
    count(first, [1, 'TimingData', { Lines: { 4: { Sectors: { 0: { Segments: { 0: { Status: 2049 } } } } } } }]),
    1,
  );
  const weather = { AirTemp: '28.7', Rainfall: '0' };
  assert.equal(count([0, 'WeatherData', weather], [1, 'WeatherData', { ...weather, _kf: true }]), 1);
});

test('changes that no feed shows make no update', () => {
  const quiet = [
    lines(1, { 4: { Line: 3, RacingNumber: '4', Sectors: { 0: { PreviousValue: '26.1' } } } }),
    at(1, 'SessionInfo', { SessionStatus: 'Started', ArchiveStatus: { Status: 'Complete' } }),
    at(1, 'TimingAppData', { Lines: { 4: { Line: 3, Stints: [] } } }),
    at(1, 'TrackStatus', { Message: 'AllClear' }),
    at(1, 'PitLaneTimeCollection', { PitTimes: { _deleted: ['4'] } }),
  ];
  assert.deepEqual(updatesFrom(quiet), []);
});

test('messages of a topic that is not read are not even parsed', () => {
  assert.equal(timelineFrom([{ utcMs: START_MS, topic: 'Novelty', json: '{broken' }]).length, 0);
});

test('one frame can make updates in several feeds, race events last', () => {
  const frames = [
    at(0, 'SessionInfo', { Type: 'Race' }),
    at(0, 'SessionStatus', { Status: 'Inactive' }),
    at(0, 'SessionStatus', { Status: 'Started' }),
    lines(0, { 4: { InPit: false } }),
    lines(1, { 4: { InPit: true } }),
    at(2, 'TimingAppData', { Lines: { 4: { GridPos: '2', Stints: [{ Compound: 'SOFT', LapFlags: 0 }] } } }),
  ];
  assert.deepEqual(
    updatesFrom(frames).map(({ feed, sequence }) => `${sequence} ${feed}`),
    [
      '1 session.info',
      '2 session.status',
      '3 session.status',
      '4 events.race',
      '5 timing.data',
      '6 timing.data',
      '7 events.race',
      '8 timing.app-data',
      '9 tire.stints',
    ],
  );
});

test('session feeds have all fields in every payload', () => {
  const weather = {
    AirTemp: '28.7',
    TrackTemp: '51',
    Humidity: '36.0',
    Pressure: '780.5',
    Rainfall: '0',
    WindDirection: '7',
  };
  assert.deepEqual(last([at(0, 'WeatherData', weather), at(1, 'WeatherData', { Rainfall: '1' })], 'weather.data'), {
    airTempC: 28.7,
    trackTempC: 51,
    humidityPercent: 36,
    pressureHpa: 780.5,
    rainfall: true,
    windDirectionDegrees: 7,
    windSpeedMps: null,
  });
  const laps = [at(0, 'LapCount', { CurrentLap: 1, TotalLaps: 19 }), at(1, 'LapCount', { CurrentLap: 2 })];
  assert.deepEqual(last(laps, 'lap.count'), { currentLap: 2, totalLaps: 19 });
  assert.deepEqual(last([at(0, 'TrackStatus', { Status: '4', Message: 'SCDeployed' })], 'track.status'), {
    status: 'safety_car',
    code: 4,
  });
  assert.deepEqual(last([at(0, 'TrackStatus', { Status: '9' })], 'track.status'), { status: 'unknown', code: 9 });
  assert.deepEqual(last([at(0, 'SessionStatus', { Status: 'Started', Started: 'Started' })], 'session.status'), {
    status: 'started',
    partStatus: 'started',
  });
});

test('race control messages come one by one, with the driver that they concern', () => {
  const message = {
    Utc: '2025-05-04T20:00:00',
    Category: 'Flag',
    Flag: 'BLUE',
    Scope: 'Driver',
    RacingNumber: '4',
    Lap: 3,
  };
  const frames = [
    at(0, 'DriverList', { 4: DRIVERS[4] }),
    at(1, 'RaceControlMessages', { Messages: [{ Utc: '2025-05-04T19:00:00', Category: 'Other', Message: ' FIRST' }] }),
    at(2, 'RaceControlMessages', { Messages: { 1: { ...message, Message: 'WAVED BLUE FLAG' } } }),
  ];
  const [first, second, ...more] = updatesFrom(frames, 'race-control.messages').map(({ data }) => data);
  assert.deepEqual(first, { index: 0, utc: '2025-05-04T19:00:00.000Z', message: 'FIRST', category: 'Other' });
  assert.deepEqual(second, {
    index: 1,
    utc: '2025-05-04T20:00:00.000Z',
    message: 'WAVED BLUE FLAG',
    category: 'Flag',
    lap: 3,
    flag: 'BLUE',
    scope: 'Driver',
    driver: { ...NORRIS, position: null },
  });
  assert.deepEqual(more, []);
});

test('a collection makes the same update as a list and as an object', () => {
  const stint = { Compound: 'HARD', New: 'true', TyresNotChanged: '0', TotalLaps: 3, StartLaps: 0 };
  const asList = at(0, 'TimingAppData', { Lines: { 4: { Stints: [stint] } } });
  const asObject = at(0, 'TimingAppData', { Lines: { 4: { Stints: { 0: stint } } } });
  assert.deepEqual(updatesFrom([asList]), updatesFrom([asObject]));
  const [entry] = last([asList], 'tire.stints') as { stints: unknown }[];
  const stints = [{ stint: 1, compound: 'HARD', isNew: true, tiresChanged: true, totalLaps: 3, startLaps: 0 }];
  assert.deepEqual(entry!.stints, stints);
});

test('sectors, segments, speeds and best laps of qualifying come with their places and only their changes', () => {
  const frames = [
    at(0, 'DriverList', { 4: DRIVERS[4] }),
    lines(1, {
      4: {
        Sectors: [{ Value: '', Segments: [{ Status: 0 }, { Status: 0 }] }, { Value: '30.100' }],
        BestLapTime: { Value: '1:20.000', Lap: 3 },
        BestLapTimes: [{ Value: '1:20.000', Lap: 3 }, { Value: '' }],
        Stats: [{ TimeDiffToFastest: '', TimeDifftoPositionAhead: '' }],
      },
    }),
    lines(2, {
      4: {
        Sectors: { 0: { Segments: { 1: { Status: 2051 } } }, 1: { Value: '', PersonalFastest: true } },
        Speeds: { ST: { Value: '322' }, I1: { Value: '', OverallFastest: false } },
        BestLapTime: { Value: '', _deleted: ['Lap'] },
        BestLapTimes: { 1: { Value: '1:19.000', Lap: 9 } },
        Stats: { 0: { TimeDifftoPositionAhead: '+0.040' }, 1: { TimeDiffToFastest: '+0.100' } },
      },
    }),
  ];
  assert.deepEqual(last(frames, 'timing.data'), [
    {
      ...NORRIS,
      position: null,
      bestLap: { time: null, lap: null },
      sectors: [
        { sector: 1, segments: [{ segment: 2, status: 2051 }] },
        { sector: 2, time: null, personalFastest: true },
      ],
      speeds: { intermediate1: { kph: null, overallFastest: false }, speedTrap: { kph: 322 } },
      qualifyingParts: [
        { part: 1, gapToAhead: { display: '+0.040', seconds: 0.04 } },
        {
          part: 2,
          bestLap: { time: { display: '1:19.000', ms: 79_000 }, lap: 9 },
          gapToFastest: { display: '+0.100', seconds: 0.1 },
        },
      ],
    },
  ]);
});

test('timing of the session as a whole is in `session`, beside the drivers', () => {
  const session = {
    SessionPart: 2,
    NoEntries: [20, 15, 10],
    CutOffTime: '1:27.230',
    CutOffPercentage: '107',
    Withheld: false,
  };
  const [payload] = updatesFrom([at(0, 'TimingData', { ...session, Lines: {} })]) as unknown as [{ session: unknown }];
  assert.deepEqual(payload.session, {
    part: 2,
    cutOff: { display: '1:27.230', ms: 87_230 },
    cutOffPercent: 107,
    withheld: false,
    entries: [
      { part: 1, drivers: 20 },
      { part: 2, drivers: 15 },
      { part: 3, drivers: 10 },
    ],
  });
});

test('the order of the driver list serves as positions until the first timing message', () => {
  const frames = [at(0, 'DriverList', { 4: { ...DRIVERS[4], Line: 2 } }), at(1, 'DriverList', { 4: { Line: 1 } })];
  assert.deepEqual(last(frames, 'timing.driver-info'), [{ ...NORRIS, position: 1, line: 1 }]);
  const [timing] = last([...frames, lines(2, { 4: { Position: '1' } })], 'timing.data') as object[];
  assert.deepEqual(timing, { ...NORRIS, position: 1 });
  const timed = [...frames, lines(2, { 4: { Position: '5' } }), at(3, 'DriverList', { 4: { Line: 3 } })];
  assert.deepEqual(last(timed, 'timing.driver-info'), [{ ...NORRIS, position: 5, line: 3 }]);
});

test('fields of an unexpected type count as missing, and keys that are no racing numbers are ignored', () => {
  const odd = {
    Position: {},
    InPit: 'yes',
    NumberOfLaps: 1.5,
    Sectors: 'none',
    Speeds: [1],
    LastLapTime: 7,
    Stats: null,
  };
  assert.deepEqual(updatesFrom([lines(0, { 4: odd, constructor: { InPit: true }, 'x y': { InPit: true } })]), []);
});

test('a field named like a built-in property of objects is ignored', () => {
  const names = ['constructor', 'toString', '__defineGetter__', '__defineSetter__', '__proto__'];
  const odd = names.map((name) => `"${name}":1`).join();
  const utcMs = START_MS + 2_000;
  const frames = [lines(1, { 4: { InPit: false } }), { utcMs, topic: 'TimingData', json: `{"Lines":{"4":{${odd}}}}` }];
  assert.equal(updatesFrom(frames, 'timing.data').length, 1);
});

test('an invalid message is refused with its topic and time', () => {
  const broken = { utcMs: START_MS, topic: 'TimingData', json: '{"Lines":' };
  assert.throws(() => timelineFrom([broken]), SourceError);
  assert.throws(() => timelineFrom([broken]), /^SourceError: TimingData at 2025-05-04T20:00:00\.000Z: /);
  assert.throws(() => timelineFrom([at(0, 'LapCount', 'text')]), /the message is not an object/);
  const crowd = Object.fromEntries(Array.from({ length: DRIVERS_MAX + 1 }, (_, n) => [n, { InPit: true }]));
  assert.throws(
    () => timelineFrom([lines(0, crowd)]),
    /^SourceError: TimingData at .*: there are more than 64 drivers/,
  );
});

test('the updates of a frame are there before the models run, and a failing model takes none away', () => {
  const builder = new TimelineBuilder({ sessionId: 's', seriesId: 'f1' }, serialisePayload);
  const failure = new Error('a defect');
  const seen: string[] = [];
  const analytics = () => ({
    apply({ topic }: { readonly topic: string }): null {
      seen.push(`${topic} after ${builder.length}`);
      throw failure;
    },
  });
  const deriver = new SessionDeriver(builder, { ...F1, analytics });
  assert.equal(deriver.apply(at(0, 'LapCount', { CurrentLap: 1, TotalLaps: 50 })), null);
  assert.equal(builder.length, 1);
  assert.equal(deriver.analyse(), failure);
  assert.equal(deriver.analyse(), null, 'the models see a frame once');
  assert.equal(deriver.apply(at(1_000, 'LapCount', { CurrentLap: 2 })), null);
  assert.deepEqual([builder.length, seen], [2, ['LapCount after 1']]);
});

test('I7: a recorded session goes on after a frame that fails, and its models see that frame, as those of a live one do', (t) => {
  const unwritable = { ...at(1, 'LapCount', { CurrentLap: 2 }), utcMs: Number.MAX_SAFE_INTEGER };
  const frames = [at(0, 'LapCount', { CurrentLap: 1 }), unwritable, at(2, 'LapCount', { CurrentLap: 3 })];
  const analysed = t.mock.method(SessionDeriver.prototype, 'analyse').mock;
  const problems: Error[] = [];
  const timeline = deriveTimeline({ sessionId: 's', seriesId: 'f1' }, frames, undefined, (problem) => {
    problems.push(problem);
  });
  assert.deepEqual([timeline.length, timeline.info.frames, analysed.callCount()], [2, 3, 3]);
  assert.match(problems.join(), /^RangeError: Invalid time value$/);
  assert.throws(() => deriveTimeline({ sessionId: 's', seriesId: 'f1' }, frames), RangeError);
});

test('a timeline has its number of frames and its duration, and deriving it reports progress', () => {
  const reports: number[] = [];
  const frames = Array.from({ length: 1_000 }, (_, index) => at(index / 10, 'LapCount', { CurrentLap: index }));
  const timeline = deriveTimeline({ sessionId: 's', seriesId: 'f1' }, frames, (done) => reports.push(done));
  assert.equal(timeline.info.frames, 1_000);
  assert.equal(timeline.info.durationMs, 99_900);
  assert.deepEqual(reports, [512, 1_000]);
});

test('the id of a session is its year, place and kind', () => {
  const id = (meeting: string, Type: string, Name: string) =>
    describeSession(F1, [
      at(0, 'Heartbeat', {}),
      at(0, 'SessionInfo', { Type }),
      at(1, 'SessionInfo', {
        Meeting: { Name: meeting },
        Type,
        Name,
        StartDate: '2023-07-01T12:00:00',
        GmtOffset: '02:00:00',
      }),
    ]).sessionId;
  assert.equal(id('Austrian Grand Prix', 'Qualifying', 'Sprint Shootout'), '2023-austria-sprint-qualifying');
  assert.equal(id('Austrian Grand Prix', 'Race', 'Sprint'), '2023-austria-sprint');
  assert.equal(id('São Paulo Grand Prix', 'Race', 'Race'), '2023-sao-paulo-race');
  assert.equal(id('Emilia Romagna Grand Prix', 'Practice', 'Practice 2'), '2023-emilia-romagna-practice-2');
  assert.equal(id('Pre-Season Testing', 'Practice', 'Practice 3'), '2023-pre-season-testing-practice-3');
});

test('a recording without a usable SessionInfo is refused', () => {
  assert.throws(() => describeSession(F1, []), SourceError);
  assert.throws(
    () => describeSession(F1, [at(0, 'SessionInfo', { Type: 'Race' })]),
    /nothing says which session this is/,
  );
});
