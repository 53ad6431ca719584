// The payloads that the messages of each small topic make.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import type { TestPayload } from '#test/racing/real-sessions.ts';
import { at, DRIVERS, lines, updatesFrom } from '#test/racing/scripted-session.ts';

function driver(number: keyof typeof DRIVERS, position: number | null = null): object {
  const { FirstName, LastName, Tla, TeamName } = DRIVERS[number];
  const name = `${FirstName} ${LastName}`;
  const slug = (text: string) => text.toLowerCase().replaceAll(' ', '-');
  return {
    driverId: slug(name),
    number: `${number}`,
    tla: Tla,
    name,
    team: TeamName,
    constructorId: slug(TeamName),
    position,
  };
}

const NORRIS = driver(4);
const LISTED = at(0, 'DriverList', DRIVERS);

/** Returns the driver entries of each update, after a message with the driver list. */
function entries(feed: string, ...frames: Frame[]): unknown[] {
  return updatesFrom([LISTED, ...frames], feed).map(({ drivers }) => drivers);
}

function dataOf(feed: string, ...frames: Frame[]): unknown[] {
  return updatesFrom(frames, feed).map(({ data }) => data);
}

test('best times of the session come with their rank, and a removed rank is null', () => {
  const line = {
    PersonalBestLapTime: { Value: '1:20.000', Lap: 7, Position: 2 },
    BestSectors: [{ Value: '' }, { Value: '30.100', Position: 1 }],
    BestSpeeds: { ST: { Value: '322', Position: 3 }, FL: { Value: '' } },
  };
  const lost = { PersonalBestLapTime: { _deleted: ['Position'] }, BestSectors: { 1: { Position: 4 } } };
  assert.deepEqual(
    entries(
      'timing.stats',
      at(1, 'TimingStats', { Withheld: false, Lines: { 4: line } }),
      at(2, 'TimingStats', { Lines: { 4: lost } }),
    ),
    [
      [
        {
          ...NORRIS,
          bestLap: { time: { display: '1:20.000', ms: 80_000 }, lap: 7, rank: 2 },
          bestSectors: [
            { sector: 1, time: null },
            { sector: 2, time: { display: '30.100', ms: 30_100 }, rank: 1 },
          ],
          bestSpeeds: { finishLine: { kph: null }, speedTrap: { kph: 322, rank: 3 } },
        },
      ],
      [{ ...NORRIS, bestLap: { rank: null }, bestSectors: [{ sector: 2, rank: 4 }] }],
    ],
  );
});

test('an entry of the top three has the changes, or all of the line when it passes to another driver', () => {
  const line = {
    Position: '2',
    RacingNumber: '4',
    Tla: 'NOR',
    LapTime: '1:20.000',
    LapState: 64,
    DiffToLeader: '+0.100',
    DiffToAhead: '+0.100',
  };
  const updates = updatesFrom(
    [
      LISTED,
      at(1, 'TopThree', { SessionPart: 2, Withheld: false, Lines: [{}, { ...line, PersonalFastest: true }] }),
      at(2, 'TopThree', { Lines: { 1: { DiffToLeader: '+0.200' } } }),
      at(3, 'TopThree', { Lines: { 1: { RacingNumber: '81', Tla: 'PIA', FullName: 'Oscar PIASTRI' } } }),
      at(4, 'TopThree', { Lines: { 1: { TeamColour: 'FF8000' }, 2: { DiffToAhead: '' } } }),
      at(5, 'TopThree', { Lines: { 0: { RacingNumber: '44' }, 2: { RacingNumber: '1' } } }),
    ],
    'timing.top-three',
  ) as unknown as readonly (TestPayload & { readonly session?: unknown })[];
  const gap = (seconds: number) => ({ display: `+${seconds.toFixed(3)}`, seconds });
  const lapTime = { display: '1:20.000', ms: 80_000 };
  assert.deepEqual(
    updates.map(({ session, drivers }) => ({ session, drivers })),
    [
      {
        session: { part: 2, withheld: false },
        drivers: [
          {
            ...NORRIS,
            line: 2,
            lapTime,
            lapFlags: 64,
            gapToAhead: gap(0.1),
            gapToLeader: gap(0.1),
            personalFastest: true,
          },
        ],
      },
      { session: undefined, drivers: [{ ...NORRIS, line: 2, gapToLeader: gap(0.2) }] },
      {
        session: undefined,
        drivers: [
          {
            ...driver(81),
            line: 2,
            lapTime,
            lapFlags: 64,
            gapToAhead: gap(0.1),
            gapToLeader: gap(0.2),
            personalFastest: true,
          },
        ],
      },
      {
        session: undefined,
        drivers: [
          { ...driver(44), line: 1 },
          { ...driver(1), line: 3, gapToAhead: null },
        ],
      },
    ],
  );
});

test('the lap series has positions by completed laps, from 0 at the start', () => {
  assert.deepEqual(
    entries(
      'timing.lap-series',
      at(1, 'LapSeries', { 4: { LapPosition: ['3'] } }),
      at(2, 'LapSeries', { 4: { LapPosition: { 1: '2' } } }),
    ),
    [
      [{ ...NORRIS, lapPositions: [{ lapsCompleted: 0, position: 3 }] }],
      [{ ...NORRIS, lapPositions: [{ lapsCompleted: 1, position: 2 }] }],
    ],
  );
});

test('the race overview has a position of its own, beside that of the timing screen', () => {
  const state = {
    Position: '2',
    Gap: '+1:09.473',
    Interval: '1L',
    PitStops: 1,
    Catching: 2,
    OvertakeState: 2,
    IsOut: false,
  };
  assert.deepEqual(
    entries('timing.race-info', lines(1, { 4: { Position: '3' } }), at(2, 'DriverRaceInfo', { 4: state })),
    [
      [
        {
          ...driver(4, 3),
          racePosition: 2,
          gapToLeader: { display: '+1:09.473', seconds: 69.473 },
          gapToAhead: { display: '1L', seconds: null, lapsBehind: 1 },
          pitStops: 1,
          catchingState: 2,
          overtakeState: 2,
          isOut: false,
        },
      ],
    ],
  );
});

test('the current tires come with their changes only', () => {
  assert.deepEqual(
    entries(
      'tire.current',
      at(1, 'CurrentTyres', { Tyres: { 4: { Compound: 'SOFT', New: true } } }),
      at(2, 'CurrentTyres', { Tyres: { 4: { Compound: 'HARD' } } }),
      at(3, 'CurrentTyres', { Tyres: { 4: { Compound: 'HARD', New: true } }, _kf: true }),
    ),
    [[{ ...NORRIS, compound: 'SOFT', isNew: true }], [{ ...NORRIS, compound: 'HARD' }]],
  );
});

test('a time in the pit lane makes an update when it comes, not when it goes; over 300 s it is marked', () => {
  const time = (Duration: string, Lap: string) => ({ PitTimes: { 4: { RacingNumber: '4', Duration, Lap } } });
  const times = entries(
    'pit-lane.times',
    at(1, 'PitLaneTimeCollection', time('23.4', '12')),
    at(2, 'PitLaneTimeCollection', { PitTimes: { _deleted: ['4'] } }),
    at(3, 'PitLaneTimeCollection', time('23.4', '12')),
    at(4, 'PitLaneTimeCollection', time('4763.9', '13')),
    at(5, 'PitLaneTimeCollection', time('300.1', '14')),
    at(6, 'PitLaneTimeCollection', time('300.0', '15')),
    at(7, 'PitLaneTimeCollection', time('', '16')),
  ).flat();
  const entry = (display: string, ms: number, lap: number, interrupted = false) => ({
    ...NORRIS,
    pitLaneTime: { display, ms },
    lap,
    interrupted,
  });
  assert.deepEqual(times, [
    entry('23.4', 23_400, 12),
    entry('23.4', 23_400, 12),
    entry('4763.9', 4_763_900, 13, true),
    entry('300.1', 300_100, 14, true),
    entry('300.0', 300_000, 15),
    { ...NORRIS, pitLaneTime: null, lap: 16, interrupted: false },
  ]);
});

test('a pit stop has all fields, from a list or an object, and again after a correction', () => {
  const stop = (PitStopTime: string) => ({
    Timestamp: '2025-05-04T20:31:12.5Z',
    PitStop: { RacingNumber: '4', PitStopTime, PitLaneTime: '21.6', Lap: '17' },
  });
  const expected = (number: number, display: string, ms: number) => ({
    stop: number,
    utc: '2025-05-04T20:31:12.500Z',
    stationaryTime: { display, ms },
    pitLaneTime: { display: '21.6', ms: 21_600 },
    lap: 17,
  });
  assert.deepEqual(
    entries(
      'pit-lane.stops',
      at(1, 'PitStopSeries', { PitTimes: { 4: [stop('2.4')] } }),
      at(2, 'PitStopSeries', { PitTimes: { 4: { 1: stop('2.2') } } }),
      at(3, 'PitStopSeries', { PitTimes: { 4: { 0: { PitStop: { PitStopTime: '2.5' } } } } }),
      at(4, 'PitStopSeries', { PitTimes: { 4: { _deleted: ['1'] } } }),
    ),
    [
      [{ ...NORRIS, stops: [expected(1, '2.4', 2_400)] }],
      [{ ...NORRIS, stops: [expected(2, '2.2', 2_200)] }],
      [{ ...NORRIS, stops: [expected(1, '2.5', 2_500)] }],
    ],
  );
});

test('the clock has all fields in every payload', () => {
  assert.deepEqual(
    dataOf(
      'session.clock',
      at(0, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:00.009Z', Remaining: '02:00:00', Extrapolating: false }),
      at(1, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:01.0071234Z', Remaining: '01:59:59', Extrapolating: true }),
      at(2, 'ExtrapolatedClock', { Remaining: 'soon' }),
    ),
    [
      { utc: '2025-05-04T20:00:00.009Z', remaining: { display: '02:00:00', ms: 7_200_000 }, running: false },
      { utc: '2025-05-04T20:00:01.007Z', remaining: { display: '01:59:59', ms: 7_199_000 }, running: true },
      { utc: '2025-05-04T20:00:01.007Z', remaining: { display: 'soon', ms: null }, running: true },
    ],
  );
});

test('the session log has its new entries, in the words of session.status and track.status', () => {
  const utc = '2025-05-04T20:00:00.000Z';
  const Utc = '2025-05-04T20:00:00Z';
  assert.deepEqual(
    dataOf(
      'session.data',
      at(0, 'SessionData', {
        Series: [{ Utc, QualifyingPart: 0 }],
        StatusSeries: [{ Utc, TrackStatus: 'SCDeployed' }],
      }),
      at(1, 'SessionData', { Series: { 1: { Utc, Lap: 2 } } }),
      at(2, 'SessionData', {
        StatusSeries: { 1: { Utc, SessionStatus: 'Finalised' }, 2: { Utc, TrackStatus: 'toString' } },
      }),
      at(3, 'SessionData', { StatusSeries: { 3: { Utc } } }),
    ),
    [
      { series: [{ index: 0, utc, qualifyingPart: 0 }], statusSeries: [{ index: 0, utc, trackStatus: 'safety_car' }] },
      { series: [{ index: 1, utc, lap: 2 }], statusSeries: [] },
      {
        series: [],
        statusSeries: [
          { index: 1, utc, sessionStatus: 'finalised' },
          { index: 2, utc, trackStatus: 'unknown' },
        ],
      },
    ],
  );
});

test('a heartbeat is the clock of the timing source', () => {
  assert.deepEqual(dataOf('heartbeat', at(0, 'Heartbeat', { Utc: '2025-05-04T20:00:00.0012623Z' })), [
    { utc: '2025-05-04T20:00:00.001Z' },
  ]);
});

test('radio messages come with their driver, and session.info has the folder of their audio', () => {
  const capture = (RacingNumber: string, Path: string) => ({ Utc: '2025-05-04T20:00:00.5Z', RacingNumber, Path });
  const expected = (index: number, path: string) => ({ index, utc: '2025-05-04T20:00:00.500Z', path });
  const frames = [
    at(1, 'TeamRadio', {
      Captures: [capture('4', 'TeamRadio/a.mp3'), capture('81', 'TeamRadio/b.mp3'), capture('4', 'TeamRadio/c.mp3')],
    }),
    at(2, 'TeamRadio', {
      Captures: { 3: capture('44', 'TeamRadio/d.mp3'), 4: capture('pit wall', 'TeamRadio/e.mp3') },
    }),
  ];
  assert.deepEqual(entries('team.radio', ...frames), [
    [
      { ...NORRIS, captures: [expected(0, 'TeamRadio/a.mp3'), expected(2, 'TeamRadio/c.mp3')] },
      { ...driver(81), captures: [expected(1, 'TeamRadio/b.mp3')] },
    ],
    [{ ...driver(44), captures: [expected(3, 'TeamRadio/d.mp3')] }],
  ]);
  const [info] = dataOf(
    'session.info',
    at(0, 'SessionInfo', { Path: '2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/' }),
  );
  assert.equal((info as { archivePath: string }).archivePath, '2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/');
});

test('a predicted championship has drivers and teams, each with its changes', () => {
  const standing = { CurrentPosition: 2, PredictedPosition: 1, CurrentPoints: 268, PredictedPoints: 293.5 };
  const team = { TeamName: 'McLaren', ...standing };
  const updates = updatesFrom(
    [
      LISTED,
      at(1, 'ChampionshipPrediction', { Drivers: { 4: standing }, Teams: { 'McLaren Mercedes': team } }),
      at(2, 'ChampionshipPrediction', { Teams: { 'McLaren Mercedes': { PredictedPoints: 275 } } }),
    ],
    'championship.prediction',
  ) as unknown as readonly (TestPayload & { readonly teams: unknown })[];
  const predicted = { currentPosition: 2, predictedPosition: 1, currentPoints: 268, predictedPoints: 293.5 };
  const identity = { entrant: 'McLaren Mercedes', team: 'McLaren', constructorId: 'mclaren' };
  assert.deepEqual(
    updates.map(({ drivers, teams }) => ({ drivers, teams })),
    [
      { drivers: [{ ...NORRIS, ...predicted }], teams: [{ ...identity, ...predicted }] },
      { drivers: [], teams: [{ ...identity, predictedPoints: 275 }] },
    ],
  );
});
