import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SourceError } from '#engine/base/source-error.ts';
import { readF1dbRaces } from '#engine/seasons/calendar/f1db-races.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import { F1DB, WITHOUT_HISTORY } from '#test/support/shared-data.ts';
import { changeTable, SMALL_RELEASE_FILES, writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let real: History | undefined;
const readReal = (): History => (real ??= readF1dbRelease(F1DB));

function weekendOf(history: History, eventId: string): RaceWeekend {
  const found = history.weekends.find((weekend) => weekend.eventId === eventId);
  assert.ok(found, eventId);
  return found;
}

function resultOf({ results }: RaceWeekend, driverId: string): RaceResult {
  const found = results.find((result) => result.driverId === driverId);
  assert.ok(found, driverId);
  return found;
}

/** The number of weekends, or of their rows, in each season from 2014 to 2026. */
function perSeason({ weekends }: History, count: (weekend: RaceWeekend) => number): number[] {
  const counts = Array<number>(13).fill(0);
  for (const weekend of weekends) counts[weekend.season - 2014]! += count(weekend);
  return counts;
}

test('a release becomes complete weekends; seasons before 2014 are left out', (t) => {
  const history = readF1dbRelease(writeSmallRelease(temporaryFolder(t)));
  const max = { driverId: 'max-verstappen', constructorId: 'red-bull', number: '1' };
  const sergio = { driverId: 'sergio-perez', constructorId: 'red-bull', number: '11' };
  const lando = { driverId: 'lando-norris', constructorId: 'mclaren', number: '4' };
  const first = { kind: 'classified', position: 1 };
  const none = { timeMs: null, gapMs: null, gapLaps: null, reasonRetired: null };
  const place = { name: 'Miami Grand Prix', circuitId: 'miami', layoutId: 'miami-1' };
  assert.deepEqual(history, {
    circuits: new Map([['miami', { circuitId: 'miami', name: 'Miami International Autodrome', type: 'STREET' }]]),
    drivers: new Map(
      [
        { driverId: 'lando-norris', name: 'Lando Norris', tla: 'NOR', dateOfBirth: '1999-11-13' },
        { driverId: 'max-verstappen', name: 'Max Verstappen', tla: 'VER', dateOfBirth: '1997-09-30' },
        { driverId: 'sergio-perez', name: 'Sergio Pérez', tla: 'PER', dateOfBirth: null },
      ].map((driver) => [driver.driverId, driver]),
    ),
    constructors: new Map([
      ['mclaren', { constructorId: 'mclaren', name: 'McLaren' }],
      ['red-bull', { constructorId: 'red-bull', name: 'Red Bull' }],
    ]),
    entries: [
      { season: 2023, driverId: max.driverId, constructorId: 'red-bull', rounds: [1, 2, 5], testDriver: false },
      { season: 2026, driverId: lando.driverId, constructorId: 'mclaren', rounds: [], testDriver: false },
      { season: 2026, driverId: sergio.driverId, constructorId: 'mclaren', rounds: [], testDriver: true },
    ],
    weekends: [
      {
        ...place,
        eventId: '2023-miami',
        season: 2023,
        round: 5,
        day: '2023-05-07',
        startUtcMs: null,
        laps: 56,
        scheduledLaps: 57,
        hasSprint: true,
        qualifying: [
          { ...sergio, classification: first, q1Ms: 87_713, q2Ms: 87_328, q3Ms: 86_841 },
          {
            ...lando,
            classification: { kind: 'not_classified', reason: 'NC' },
            q1Ms: null,
            q2Ms: null,
            q3Ms: null,
          },
        ],
        practice: [
          { ...max, session: 1, timeMs: 88_000 },
          { ...sergio, session: 2, timeMs: 87_500 },
        ],
        grid: [
          { ...sergio, position: 1 },
          { ...lando, position: null },
        ],
        results: [
          { ...max, ...none, classification: first, laps: 56, timeMs: 5_258_241, points: 26 },
          { ...lando, ...none, classification: { kind: 'classified', position: 2 }, laps: 55, gapLaps: 1, points: 18 },
          {
            ...sergio,
            ...none,
            classification: { kind: 'not_classified', reason: 'DNF' },
            laps: 12,
            reasonRetired: 'Power unit',
            points: 0,
          },
        ],
        fastestLaps: [{ ...max, rank: 1, lap: 56, timeMs: 89_708 }],
        pitStops: [{ ...sergio, stop: 1, lap: 20, timeMs: 22_345 }],
        sprintQualifying: [{ ...sergio, classification: first, q1Ms: 88_000, q2Ms: null, q3Ms: null }],
        sprintGrid: [{ ...sergio, position: 1 }],
        sprintResults: [{ ...sergio, ...none, classification: first, laps: 19, timeMs: 1_900_000, points: 8 }],
        driverStandings: [
          { driverId: max.driverId, position: 1, points: 119 },
          { driverId: sergio.driverId, position: 2, points: 105.5 },
        ],
        constructorStandings: [
          { constructorId: 'red-bull', engineManufacturerId: 'honda-rbpt', position: 1, points: 224.5 },
        ],
      },
      {
        ...place,
        eventId: '2026-miami',
        season: 2026,
        round: 4,
        day: '2026-05-03',
        startUtcMs: Date.parse('2026-05-03T17:00:00Z'),
        laps: 57,
        scheduledLaps: null,
        hasSprint: true,
        practice: [],
        qualifying: [],
        grid: [],
        results: [],
        fastestLaps: [],
        pitStops: [],
        sprintQualifying: [],
        sprintGrid: [],
        sprintResults: [],
        driverStandings: [],
        constructorStandings: [],
      },
    ],
  });
});

test('a bad value is refused with file, line and column', (t) => {
  for (const [file, found, replacement, pattern] of [
    ['f1db-races.csv', '2023,5', '2023,five', /^f1db-races\.csv:3: round "five" is not a whole number/],
    ['f1db-races.csv', '2023-05-07', '2023-02-30', /^f1db-races\.csv:3: date "2023-02-30" is not a day/],
    ['f1db-races.csv', '"2023-05-07"', '', /^f1db-races\.csv:3: date null is not a day/],
    ['f1db-races.csv', '17:00', '25:00', /^f1db-races\.csv:4: time "25:00" is not a time of day/],
    ['f1db-races.csv', ',56,57,', ',,57,', /^f1db-races\.csv:3: laps is empty/],
    ['f1db-races.csv', '1153,2026,4', '1153,2023,6', /^f1db-races\.csv:4: 2023-miami appears twice/],
    ['f1db-races.csv', '1153,2026,4', '1083,2026,4', /^f1db-races\.csv:4: race 1083 appears twice/],
    ['f1db-circuits.csv', 'STREET', 'OVAL', /^f1db-circuits\.csv:2: type "OVAL" is not STREET, RACE, ROAD/],
    [
      'f1db-races-race-results.csv',
      '"DNF"',
      '"OUT"',
      /race-results\.csv:5: positionText "OUT" is not a position or one/,
    ],
    ['f1db-races-race-results.csv', ',26\n', ',-26\n', /race-results\.csv:3: points "-26" is not a number of points/],
    ['f1db-races-race-results.csv', '2023,5,2,2', '2023,5,3,2', /:4: positionDisplayOrder "3" is not 2, the next/],
    ['f1db-races-starting-grid-positions.csv', '"PL"', '"DNS"', /:3: positionText "DNS" is not a position or PL/],
    ['f1db-races-pit-stops.csv', '22345', '', /^f1db-races-pit-stops\.csv:2: timeMillis is empty/],
    ['f1db-races-pit-stops.csv', '22345', '2147483648', /:2: timeMillis "2147483648" is not a whole number/],
    [
      'f1db-drivers.csv',
      '"giuseppe-farina"',
      '"lando-norris"',
      /^f1db-drivers\.csv:3: id "lando-norris" appears twice/,
    ],
    ['f1db-seasons-entrants-drivers.csv', '1;2;5', '1;two;5', /drivers\.csv:3: rounds "1;two;5" is not a list/],
    ['f1db-seasons-entrants-drivers.csv', 'true', 'yes', /drivers\.csv:5: testDriver "yes" is not true or false/],
  ] as const) {
    const folder = writeSmallRelease(temporaryFolder(t));
    changeTable(folder, file, found, replacement);
    refuses(folder, pattern);
  }
});

test('weekends are sorted by season and round, whatever the order of the table', (t) => {
  const folder = writeSmallRelease(temporaryFolder(t));
  changeTable(folder, 'f1db-races.csv', '1083,2023,5', '1083,2027,5');
  assert.deepEqual(
    readF1dbRelease(folder).weekends.map(({ season }) => season),
    [2026, 2027],
  );
});

test('a reference to a missing row is refused', (t) => {
  for (const [file, found, replacement, pattern] of [
    [
      'f1db-races-pit-stops.csv',
      '1083,',
      '1084,',
      /^f1db-races-pit-stops\.csv:2: raceId "1084" is not in f1db-races\.csv/,
    ],
    ['f1db-races-fastest-laps.csv', 'max', 'jos', /laps\.csv:2: driverId "jos-verstappen" is not in f1db-drivers\.csv/],
    ['f1db-races-race-results.csv', 'mclaren', 'lotus', /:4: constructorId "lotus" is not in f1db-constructors\.csv/],
    ['f1db-circuits.csv', '"miami"', '"monza"', /^f1db-races\.csv:3: circuitId "miami" is not in f1db-circuits\.csv/],
    [
      'f1db-grands-prix.csv',
      '"miami"',
      '"monza"',
      /^f1db-races\.csv:3: grandPrixId "miami" is not in f1db-grands-prix/,
    ],
    ['f1db-drivers.csv', '"sergio-perez"', '"sergio"', /:2: driverId "sergio-perez" is not in f1db-drivers\.csv/],
  ] as const) {
    const folder = writeSmallRelease(temporaryFolder(t));
    changeTable(folder, file, found, replacement);
    refuses(folder, pattern);
  }
});

test('a release that lacks a table, or has no race of the seasons kept, is refused', (t) => {
  for (const file of SMALL_RELEASE_FILES) {
    const folder = writeSmallRelease(temporaryFolder(t));
    rmSync(join(folder, file));
    refuses(folder, new RegExp(`^${file}: this table is missing`));
  }
  const folder = writeSmallRelease(temporaryFolder(t));
  changeTable(folder, 'f1db-races.csv', '2023,5', '1993,5');
  changeTable(folder, 'f1db-races.csv', '2026,4', '1996,4');
  refuses(folder, /^f1db-races\.csv: it has no race from 2014 on/);
});

describe('the real release', { skip: WITHOUT_HISTORY }, () => {
  test('every season has its races and results', () => {
    const history = readReal();
    assert.deepEqual(
      perSeason(history, () => 1),
      [19, 19, 21, 20, 21, 21, 17, 22, 22, 22, 24, 24, 23],
    );
    const held = ({ results }: RaceWeekend): number => (results.length > 0 ? 1 : 0);
    assert.deepEqual(perSeason(history, held), [19, 19, 21, 20, 21, 21, 17, 22, 22, 22, 24, 24, 0]);
    const sum = (count: (weekend: RaceWeekend) => number) => history.weekends.reduce((all, one) => all + count(one), 0);
    assert.equal(
      sum(({ results }) => results.length),
      5108,
    );
    assert.equal(
      sum(({ sprintResults }) => sprintResults.length),
      480,
    );
    assert.equal(
      sum(({ qualifying }) => qualifying.length),
      5097,
    );
    assert.equal(
      sum(({ grid }) => grid.length),
      5102,
    );
    assert.equal(
      sum(({ pitStops }) => pitStops.length),
      9133,
    );
    assert.equal(
      sum(({ fastestLaps }) => fastestLaps.length),
      4888,
    );
    assert.equal(
      sum(({ driverStandings }) => driverStandings.length),
      5245,
    );
    assert.equal(history.entries.length, 398);
    assert.deepEqual([history.circuits.size, history.drivers.size, history.constructors.size], [33, 98, 24]);
  });

  test('Baku 2018', () => {
    const history = readReal();
    const baku = weekendOf(history, '2018-azerbaijan');
    const { results, grid, pitStops, fastestLaps, driverStandings, ...weekend } = baku;
    assert.partialDeepStrictEqual(weekend, {
      season: 2018,
      round: 4,
      name: 'Azerbaijan Grand Prix',
      circuitId: 'baku',
      layoutId: 'baku-1',
      day: '2018-04-29',
      startUtcMs: null,
      laps: 51,
      scheduledLaps: null,
      hasSprint: false,
    });
    assert.deepEqual(
      results.slice(0, 3).map(({ driverId, timeMs, gapMs, points }) => [driverId, timeMs, gapMs, points]),
      [
        ['lewis-hamilton', 6_224_291, null, 25],
        ['kimi-raikkonen', 6_226_751, 2_460, 18],
        ['sergio-perez', 6_228_315, 4_024, 15],
      ],
    );
    assert.deepEqual(resultOf(baku, 'max-verstappen').classification, { kind: 'not_classified', reason: 'DNF' });
    assert.deepEqual(grid[0], { driverId: 'sebastian-vettel', constructorId: 'ferrari', number: '5', position: 1 });
    assert.equal(pitStops.length, 36);
    assert.equal(fastestLaps[0]!.driverId, 'valtteri-bottas');
    assert.deepEqual(driverStandings[0], { driverId: 'lewis-hamilton', position: 1, points: 70 });
    assert.equal(history.circuits.get('baku')!.type, 'STREET');
    assert.equal(history.drivers.get('max-verstappen')!.tla, 'VER');
  });

  test('the next season has its entries and its weekends with start times', () => {
    const history = readReal();
    const entries = history.entries.filter(({ season }) => season === 2026);
    assert.equal(entries.length, 22);
    assert.equal(new Set(entries.map(({ constructorId }) => constructorId)).size, 11);
    assert.ok(entries.every(({ rounds, testDriver }) => rounds.length === 0 && !testDriver));
    const weekends = history.weekends.filter(({ season }) => season === 2026);
    assert.deepEqual(
      weekends.map(({ round }) => round),
      Array.from({ length: 23 }, (_, index) => index + 1),
    );
    assert.ok(
      weekends.every(({ startUtcMs, results, grid }) => startUtcMs !== null && results.length + grid.length === 0),
    );
    assert.equal(weekends[0]!.startUtcMs, Date.parse('2026-03-08T04:00:00Z'));
    assert.deepEqual(
      weekends.filter(({ hasSprint }) => hasSprint).map(({ eventId }) => eventId),
      ['2026-china', '2026-miami', '2026-canada', '2026-britain', '2026-netherlands', '2026-singapore'],
    );
  });

  test('pit lane starts, disqualifications, classified retirements and a shortened race', () => {
    const history = readReal();
    const pitLane = weekendOf(history, '2014-australia').grid.filter(({ position }) => position === null);
    assert.deepEqual(
      pitLane.map(({ driverId }) => driverId),
      ['romain-grosjean'],
    );
    const ricciardo = resultOf(weekendOf(history, '2014-australia'), 'daniel-ricciardo');
    assert.deepEqual(ricciardo.classification, { kind: 'not_classified', reason: 'DSQ' });
    assert.equal(ricciardo.points, 0);
    const retired = history.weekends.flatMap(({ results }) =>
      results.filter(
        ({ classification, reasonRetired }) => classification.kind === 'classified' && reasonRetired !== null,
      ),
    );
    assert.ok(retired.length > 50, String(retired.length));
    assert.ok(retired.every(({ timeMs, gapMs }) => timeMs === null && gapMs === null));
    const spa = weekendOf(history, '2021-belgium');
    assert.deepEqual([spa.laps, spa.scheduledLaps, spa.fastestLaps.length, spa.pitStops.length], [1, 44, 0, 0]);
    assert.equal(resultOf(spa, 'max-verstappen').points, 12.5);
  });

  test('a weekend with sprint results is a sprint weekend, even without the day of the sprint', () => {
    const history = readReal();
    const sprints = (weekend: RaceWeekend): number => (weekend.hasSprint ? 1 : 0);
    assert.deepEqual(perSeason(history, sprints), [0, 0, 0, 0, 0, 0, 0, 3, 3, 6, 6, 6, 6]);
    const austin = weekendOf(history, '2023-united-states');
    assert.equal(austin.sprintResults[0]!.driverId, 'max-verstappen');
    assert.ok(austin.sprintQualifying.length > 0 && austin.sprintGrid.length > 0);
  });

  test('events have the same ids and names as in the calendar of the release', () => {
    const calendar = readF1dbRaces(F1DB, () => true);
    assert.deepEqual(
      readReal().weekends.map(({ eventId }) => eventId),
      calendar.events.map(({ eventId }) => eventId),
    );
  });
});

function refuses(folder: string, pattern: RegExp): void {
  assert.throws(
    () => readF1dbRelease(folder),
    (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.match(error.message, pattern);
      return true;
    },
  );
}
