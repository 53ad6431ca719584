import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SourceError } from '#engine/base/source-error.ts';
import { openCalendar, type SeasonChoice } from '#engine/seasons/calendar/open-calendar.ts';
import type { SeasonCalendar } from '#engine/seasons/calendar/season-calendar.ts';
import { ALL_SESSIONS } from '#test/racing/real-sessions.ts';
import { dataPath, F1DB, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ARCHIVE = dataPath('archive/_index');
const ANY: SeasonChoice = { season: null, current: 2026 };

const RACE = {
  Type: 'Race',
  Name: 'Race',
  StartDate: '2026-05-03T14:00:00',
  EndDate: '2026-05-03T16:00:00',
  GmtOffset: '-04:00:00',
};
const MEETING = { Number: 6, Name: 'Miami Grand Prix', Circuit: { ShortName: 'Miami' }, Sessions: [RACE] };

function indexFile(t: TestContext, index: unknown, name = 'Index-2026.json'): string {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, typeof index === 'string' ? index : `\ufeff${JSON.stringify(index)}`);
  return path;
}

/** A release whose table of races has one row. */
function release(t: TestContext, race: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  const columns: Record<string, string> = { year: '2026', round: '1', grandPrixId: '"miami"', circuitId: '"miami"' };
  for (const session of ['freePractice1', 'freePractice2', 'freePractice3', 'sprintQualifying', 'sprintRace']) {
    columns[`${session}Date`] = columns[`${session}Time`] = '';
  }
  Object.assign(columns, { qualifyingDate: '"2026-05-02"', qualifyingTime: '"20:00"' });
  Object.assign(columns, { date: '"2026-05-03"', time: '"20:00"', ...race });
  writeFileSync(
    join(folder, 'f1db-races.csv'),
    `${Object.keys(columns).join(',')}\n${Object.values(columns).join(',')}\n`,
  );
  const names = 'id,fullName\n"miami","Miami Grand Prix"\n';
  writeFileSync(join(folder, 'f1db-grands-prix.csv'), names);
  writeFileSync(join(folder, 'f1db-circuits.csv'), names.replace('Grand Prix', 'Autodrome'));
  return folder;
}

function idsOf({ events }: SeasonCalendar): string[] {
  return events.flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId));
}

function refuses(path: string, pattern: RegExp, choice = ANY): void {
  assert.throws(
    () => openCalendar(path, choice),
    (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.match(error.message, pattern);
      return true;
    },
  );
}

test('an archive index becomes events with sessions in UTC', (t) => {
  const path = indexFile(t, { Year: 2026, Meetings: [MEETING] });
  assert.deepEqual(openCalendar(path, ANY), {
    events: [
      {
        eventId: '2026-miami',
        seriesId: 'f1',
        season: 2026,
        round: 6,
        name: 'Miami Grand Prix',
        circuitName: 'Miami',
        sessions: [
          {
            sessionId: '2026-miami-race',
            type: 'Race',
            startUtcMs: Date.parse('2026-05-03T18:00:00Z'),
            endUtcMs: Date.parse('2026-05-03T20:00:00Z'),
          },
        ],
        vague: [],
      },
    ],
    complete: false,
    leftOut: [],
  });
});

test('a session belongs to the season of its index, even if the year has changed in UTC or in local time', (t) => {
  const around = (StartDate: string, EndDate: string, GmtOffset: string) => ({
    ...RACE,
    StartDate,
    EndDate,
    GmtOffset,
  });
  const Meetings = [
    {
      ...MEETING,
      Name: 'Miami Grand Prix',
      Sessions: [around('2026-12-31T20:00:00', '2026-12-31T22:00:00', '-05:00:00')],
    },
    {
      ...MEETING,
      Name: 'Dutch Grand Prix',
      Sessions: [around('2026-01-01T09:00:00', '2026-01-01T11:00:00', '11:00:00')],
    },
  ];
  const { events } = openCalendar(indexFile(t, { Year: 2026, Meetings }), ANY);
  assert.deepEqual(
    events.map(({ eventId, season, sessions }) => [eventId, season, new Date(sessions[0]!.startUtcMs).toISOString()]),
    [
      ['2026-miami', 2026, '2027-01-01T01:00:00.000Z'],
      ['2026-netherlands', 2026, '2025-12-31T22:00:00.000Z'],
    ],
  );
});

test('a session without an end time gets the planned length of its type', (t) => {
  const { EndDate, ...open } = RACE;
  const path = indexFile(t, { Year: 2026, Meetings: [{ ...MEETING, Sessions: [open] }] });
  const { startUtcMs, endUtcMs } = openCalendar(path, ANY).events[0]!.sessions[0]!;
  assert.equal(endUtcMs - startUtcMs, 2 * 3_600_000);
});

test('tests, track trials and nameless duplicates are left out and listed', (t) => {
  const Sessions = [
    { ...RACE, Name: 'High Speed Track Test' },
    { ...RACE, Name: undefined },
    RACE,
    { ...RACE, Name: 'Sprint Qualifying' },
  ];
  const Meetings = [
    { ...MEETING, Name: 'Pre-Season Testing' },
    { ...MEETING, Sessions },
  ];
  const calendar = openCalendar(indexFile(t, { Year: 2026, Meetings }), ANY);
  assert.deepEqual(idsOf(calendar), ['2026-miami-race', '2026-miami-sprint']);
  assert.deepEqual(calendar.leftOut, [
    'Pre-Season Testing 2026 is not a race weekend',
    'Miami Grand Prix 2026: High Speed Track Test',
    'Miami Grand Prix 2026: a session without a name',
  ]);
  assert.deepEqual(calendar.events[0]!.vague, [{ sessionId: null, day: '2026-05-03' }]);
});

test('a damaged index is refused with file and field', (t) => {
  const session = (change: object) => ({ Year: 2026, Meetings: [{ ...MEETING, Sessions: [{ ...RACE, ...change }] }] });
  for (const [index, pattern] of [
    ['{"Year": 2026,\n "Meetings": [', /^Index-2026\.json: it is not JSON/],
    ['[]', /^Index-2026\.json: Year: there is no year/],
    [{ Year: 2026 }, /^Index-2026\.json: Meetings: it is not a list/],
    [{ Year: 2026, Meetings: [MEETING, {}] }, /Meetings\[1\]\.Name: there is no name/],
    [{ Year: 2026, Meetings: [{ ...MEETING, Number: null }] }, /Meetings\[0\]\.Number: there is no round number/],
    [{ Year: 2026, Meetings: [{ ...MEETING, Sessions: null }] }, /Meetings\[0\]\.Sessions: it is not a list/],
    [session({ StartDate: 'soon' }), /Meetings\[0\]\.Sessions\[0\]\.StartDate: there is no local time/],
    [session({ GmtOffset: null }), /Sessions\[0\]\.StartDate: .* with a GmtOffset/],
    [session({ EndDate: RACE.StartDate }), /Sessions\[0\]\.EndDate: it is not after StartDate/],
    [{ Year: 2026, Meetings: [MEETING, MEETING] }, /2026-miami appears twice/],
    [{ Year: 2026, Meetings: [] }, /it has no events of a season from 2026 on/],
  ] as const) {
    refuses(indexFile(t, index), pattern);
  }
});

test('a path without a calendar is refused with the supported formats', (t) => {
  const folder = temporaryFolder(t);
  refuses(join(folder, 'none'), /there is nothing at this path/);
  refuses(folder, /this is not a calendar\. Give an Index\.json/);
  writeFileSync(join(folder, 'f1db-drivers.csv'), 'id\n');
  refuses(join(folder, 'f1db-drivers.csv'), /this is not a calendar/);
});

test('a session with only a day in f1db is left out and listed, a session missing from f1db is not listed', (t) => {
  const calendar = openCalendar(release(t, { qualifyingTime: '', freePractice1Date: '"2026-05-01"' }), ANY);
  assert.deepEqual(idsOf(calendar), ['2026-miami-race']);
  assert.deepEqual(calendar.leftOut, [
    'Miami Grand Prix 2026: the time of Practice 1 is not known',
    'Miami Grand Prix 2026: the time of Qualifying is not known',
  ]);
  assert.deepEqual(calendar.events[0]!.vague, [
    { sessionId: '2026-miami-practice-1', day: '2026-05-01' },
    { sessionId: '2026-miami-qualifying', day: '2026-05-02' },
  ]);
});

test('a damaged f1db release is refused with file and line', (t) => {
  for (const [change, pattern] of [
    [{ year: '"next"' }, /^f1db-races\.csv:2: year "next" is not a number/],
    [{ round: '' }, /^f1db-races\.csv:2: round null is not a number/],
    [{ time: '"25:00"' }, /^f1db-races\.csv:2: date 2026-05-03 and time 25:00 are not a day and a time/],
    [{ date: '"2026-02-30"' }, /^f1db-races\.csv:2: date 2026-02-30 and time 20:00 are not/],
    [{ grandPrixId: '"mars"' }, /^f1db-races\.csv:2: grandPrixId "mars" is not in f1db-grands-prix\.csv/],
    [{ circuitId: '' }, /^f1db-races\.csv:2: circuitId null is not in f1db-circuits\.csv/],
  ] as const) {
    refuses(release(t, change), pattern);
  }
  const alone = temporaryFolder(t);
  copyFileSync(join(release(t, {}), 'f1db-races.csv'), join(alone, 'f1db-races.csv'));
  refuses(alone, /f1db-grands-prix\.csv: there is nothing at this path/);
});

describe('real calendars', { skip: WITHOUT_RECORDINGS }, () => {
  test('the real indexes: tests, track trials and nameless duplicates are left out, everything else is kept', () => {
    const calendar = openCalendar(ARCHIVE, ANY);
    assert.deepEqual(
      [2019, 2021, 2022, 2023].map((season) => calendar.events.filter((event) => event.season === season).length),
      [21, 22, 22, 22],
    );
    assert.deepEqual(calendar.leftOut, [
      'Saudi Arabian Grand Prix 2021: High Speed Track Test',
      'Pre-Season Test 2022 is not a race weekend',
      'Pre-Season Testing 2023 is not a race weekend',
      ...Array(3).fill('Qatar Grand Prix 2023: a session without a name'),
    ]);
    for (const { eventId, sessions } of calendar.events) {
      assert.equal(sessions.filter(({ type }) => type === 'Race').length, 1, eventId);
      assert.equal(sessions.length, 5, eventId);
      for (const { sessionId } of sessions) assert.ok(sessionId.startsWith(`${eventId}-`), sessionId);
    }
  });

  test('the real f1db release, as folder or file: the current season and later ones, unless a season is chosen', () => {
    const calendar = openCalendar(F1DB, ANY);
    assert.deepEqual([calendar.events.length, idsOf(calendar).length, calendar.leftOut], [23, 115, []]);
    assert.ok(calendar.complete);
    assert.deepEqual(openCalendar(join(F1DB, 'f1db-races.csv'), ANY), calendar);
    assert.deepEqual(new Set(calendar.events.map(({ season }) => season)), new Set([2026]));
    assert.equal(openCalendar(F1DB, { season: null, current: 2024 }).events.length, 24 + 24 + 23);
    assert.equal(openCalendar(F1DB, { season: 2025, current: 2026 }).events.length, 24);
    refuses(F1DB, /it has no events of season 2031/, { season: 2031, current: 2026 });
    const china = calendar.events[1]!;
    assert.deepEqual(
      [china.eventId, china.round, china.circuitName],
      ['2026-china', 2, 'Shanghai International Circuit'],
    );
    const sprint = china.sessions.find(({ type }) => type === 'Sprint')!;
    assert.deepEqual(sprint, {
      sessionId: '2026-china-sprint',
      type: 'Sprint',
      startUtcMs: Date.parse('2026-03-14T03:00:00Z'),
      endUtcMs: Date.parse('2026-03-14T04:00:00Z'),
    });
  });

  test('both sources give the events of a season the same ids and names', () => {
    for (const season of [2019, 2021, 2022, 2023]) {
      const [archive, f1db] = [ARCHIVE, F1DB].map((path) => openCalendar(path, { season, current: 2026 }));
      const ids = ({ events }: SeasonCalendar) => events.map(({ eventId }) => eventId).sort();
      assert.deepEqual(ids(f1db!), ids(archive!));
      // Before 2024 the release has only the day of a race.
      assert.deepEqual([idsOf(f1db!), f1db!.leftOut.length], [[], f1db!.events.length]);
    }
  });

  test('a recording has the same session id as the calendar', (t) => {
    const folder = temporaryFolder(t);
    copyFileSync(join(ARCHIVE, 'Index-2023.json'), join(folder, 'Index-2023.json'));
    const announced = new Set([
      ...idsOf(openCalendar(folder, ANY)),
      ...idsOf(openCalendar(F1DB, { season: null, current: 2024 })),
    ]);
    const recorded = ALL_SESSIONS.filter((session) => session >= '2023');
    assert.deepEqual(
      recorded.filter((session) => !announced.has(session)),
      [],
    );
  });
});
