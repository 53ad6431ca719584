import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import type { AdminOutcome } from '#test/support/service-process.ts';
import { dataPath, F1DB, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

// Empty, so that a database that a refused command has made or started is seen.
const dataDir = temporaryDataDir();
const admin = (...args: string[]): Promise<AdminOutcome> => runAdminCommand(dataDir, ['import', 'calendar', ...args]);

/** Writes an Index.json with one race a day. An empty name leaves its day without a race. */
function indexFile(name: string, season: number, grandsPrix: readonly string[]): string {
  const path = join(dataDir, name);
  const Meetings = grandsPrix
    .map((Name, place) => ({
      Number: place + 1,
      Name,
      Location: 'Somewhere',
      Sessions: [
        { Type: 'Race', Name: 'Race', StartDate: `${season}-05-0${place + 3}T14:00:00`, GmtOffset: '02:00:00' },
        { Type: 'Race', Name: 'Track Test', StartDate: `${season}-05-01T14:00:00`, GmtOffset: '02:00:00' },
      ],
    }))
    .filter(({ Name }) => Name !== '');
  writeFileSync(path, JSON.stringify({ Year: season, Meetings }));
  return path;
}

test('an invalid command line and a path without a calendar do not touch the database', async () => {
  for (const [args, code, pattern] of [
    [[], 2, /PATH is missing/],
    [[''], 2, /PATH is empty/],
    [['a', '--season', 'next'], 2, /--season: "next" is not a year such as 2026/],
    [[join(dataDir, 'none')], 1, /^\S*none: there is nothing at this path\. .*\n$/],
    [[temporaryDataDir()], 1, /this is not a calendar\. Give an Index\.json/],
    [[indexFile('Index-2031.json', 2031, ['Dutch Grand Prix']), '--season', '2030'], 1, /no events of season 2030/],
  ] as const) {
    const outcome = await admin(...args);
    assert.deepEqual([outcome.code, outcome.out], [code, ''], args.join(' '));
    assert.match(outcome.err, pattern);
  }
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

test('an import replaces the season, keeps missing sessions as cancelled and reports them', async () => {
  const first = await admin(
    indexFile('first.json', 2031, ['Dutch Grand Prix', 'Italian Grand Prix', 'Monaco Grand Prix']),
  );
  assert.deepEqual([first.code, first.out], [0, '{"seasons":[2031],"events":3,"sessions":3,"cancelled":0}\n']);
  assert.equal(first.err.split('\n')[0], 'left out: Dutch Grand Prix 2031: Track Test');
  assert.doesNotMatch(first.err, /cancelled/);
  const second = await admin(indexFile('second.json', 2031, ['Dutch Grand Prix', '', 'Monaco Grand Prix']));
  assert.equal(second.out, '{"seasons":[2031],"events":2,"sessions":2,"cancelled":1}\n');
  assert.match(second.err, /^cancelled: 2031-italy-race$/m);
  const database = await openTestDatabase(dataDir);
  after(() => database.close());
  const rows = await database.connect(1)`select session_id, cancelled from calendar_session order by session_id`;
  assert.deepEqual(
    rows.map((row) => Object.values(row).join(' ')),
    ['2031-italy-race true', '2031-monaco-race false', '2031-netherlands-race false'],
  );
});

test('calendars of one season or several are imported from either source', async () => {
  const small = await admin(indexFile('Index-2032.json', 2032, ['Dutch Grand Prix', 'Italian Grand Prix']));
  assert.equal(small.out, '{"seasons":[2032],"events":2,"sessions":2,"cancelled":0}\n');
  if (WITHOUT_RECORDINGS) return;
  const archive = await admin(dataPath('archive/_index'));
  assert.equal(archive.out, '{"seasons":[2019,2021,2022,2023],"events":87,"sessions":435,"cancelled":0}\n');
  const f1db = await admin(F1DB, '--season', '2026');
  assert.deepEqual([f1db.out, f1db.err], ['{"seasons":[2026],"events":23,"sessions":115,"cancelled":0}\n', '']);
  // The season 2023 again, from the other source, which has no times for it.
  const other = await admin(F1DB, '--season', '2023');
  assert.equal(other.out, '{"seasons":[2023],"events":22,"sessions":0,"cancelled":0}\n');
});
