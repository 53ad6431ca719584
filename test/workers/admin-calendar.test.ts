import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { dataPath, WITHOUT_RECORDINGS } from '#test/session/real-sessions.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import type { AdminOutcome } from '#test/support/service-process.ts';

const dataDir = temporaryDataDir();
const admin = (...args: string[]): Promise<AdminOutcome> => runAdminCommand(dataDir, ['import', 'calendar', ...args]);

function indexFile(name: string, season: number, grandsPrix: readonly string[]): string {
  const path = join(dataDir, name);
  const Meetings = grandsPrix.map((Name, place) => ({
    Number: place + 1,
    Name,
    Location: 'Somewhere',
    Sessions: [
      { Type: 'Race', Name: 'Race', StartDate: `${season}-05-03T14:00:00`, GmtOffset: '02:00:00' },
      { Type: 'Race', Name: 'Track Test', StartDate: `${season}-05-01T14:00:00`, GmtOffset: '02:00:00' },
    ],
  }));
  writeFileSync(path, JSON.stringify({ Year: season, Meetings }));
  return path;
}

test('a command line that makes no sense and a path without a calendar do not touch the database', async () => {
  for (const [args, code, pattern] of [
    [[], 2, /PATH is missing/],
    [[''], 2, /PATH is empty/],
    [['a', '--season', 'next'], 2, /--season: "next" is not a year such as 2026/],
    [[join(dataDir, 'none')], 1, /^\S*none: there is nothing at this path\. .*\n$/],
    [[temporaryDataDir()], 1, /this is no calendar\. Give an Index\.json/],
    [[indexFile('Index-2031.json', 2031, ['Dutch Grand Prix']), '--season', '2030'], 1, /no event of season 2030/],
  ] as const) {
    const outcome = await admin(...args);
    assert.deepEqual([outcome.code, outcome.out], [code, ''], args.join(' '));
    assert.match(outcome.err, pattern);
  }
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

test('a season is imported, said, and replaced by importing it again', async () => {
  const first = await admin(indexFile('first.json', 2031, ['Dutch Grand Prix', 'Italian Grand Prix']));
  assert.deepEqual([first.code, first.out], [0, '{"seasons":[2031],"events":2,"sessions":2}\n']);
  assert.equal(first.err.split('\n')[0], 'left out: Dutch Grand Prix 2031: Track Test');
  const second = await admin(indexFile('second.json', 2031, ['Monaco Grand Prix']));
  assert.equal(second.out, '{"seasons":[2031],"events":1,"sessions":1}\n');
  const database = await openTestDatabase(dataDir);
  after(() => database.close());
  const rows = await database.connect(
    1,
  )`select event_id, session_id from calendar_event join calendar_session using (event_id)`;
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ event_id: '2031-monaco', session_id: '2031-monaco-race' }],
  );
});

test('the real calendars are imported', { skip: WITHOUT_RECORDINGS }, async () => {
  const archive = await admin(dataPath('archive/_index'));
  assert.equal(archive.out, '{"seasons":[2019,2021,2022,2023],"events":87,"sessions":435}\n');
  const f1db = await admin(dataPath('history/f1db'), '--season', '2026');
  assert.deepEqual([f1db.out, f1db.err], ['{"seasons":[2026],"events":23,"sessions":115}\n', '']);
});
