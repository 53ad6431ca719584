import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { archiveFolder as archiveOf } from '#test/intake/source/archive.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { archiveLines } from '#test/support/golden-recordings.ts';
import { type AdminOutcome, runAdminProcess } from '#test/support/service-process.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const dataDir = temporaryDataDir();
// Without a database.
const empty = temporaryDataDir();

before(async () => (await openTestDatabase(dataDir)).close());

const admin = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  interactive = false,
): Promise<AdminOutcome> => runAdminCommand(dataDir, args, { env, interactive });

/** Runs the tool in its own process, as an operator does. */
const adminProcess = (args: readonly string[]): Promise<AdminOutcome> => runAdminProcess(dataDir, args);

/** A folder with a session of three laps, as the archive stores it. */
function archiveFolder(name: string, lapCount: string): string {
  const folder = join(dataDir, name);
  mkdirSync(folder);
  const info = {
    Meeting: { Name: 'Testland Grand Prix', Circuit: { ShortName: 'Testring' } },
    Type: 'Race',
    Name: 'Race',
    StartDate: '2026-05-03T14:00:00',
    EndDate: '2026-05-03T16:00:00',
    GmtOffset: '00:00:00',
  };
  writeFileSync(join(folder, 'SessionInfo.jsonStream'), `\uFEFF00:00:00.000${JSON.stringify(info)}\r\n`);
  writeFileSync(join(folder, 'LapCount.jsonStream'), `\uFEFF${lapCount}`);
  return folder;
}

const GOOD_LAPS = '00:00:02.000{"CurrentLap":1,"TotalLaps":3}\r\n00:01:30.000{"CurrentLap":2}\r\n';

test('every level has help, on standard output, with examples', async () => {
  for (const [args, pattern] of [
    [
      ['--help'],
      /account create[\s\S]*account plan[\s\S]*import recording[\s\S]*import calendar[\s\S]*import history[\s\S]*session list[\s\S]*secret-key rotate[\s\S]*Example/,
    ],
    [['account', '--help'], /account create/],
    [['account', 'create', '--help'], /--plan PLAN[\s\S]*Example/],
    [['import', 'recording', '--help'], /PATH[\s\S]*Examples/],
    [['import', 'calendar', '--help'], /PATH[\s\S]*--season YEAR[\s\S]*Examples/],
    [['import', 'history', '--help'], /FOLDER[\s\S]*ZIP[\s\S]*URL[\s\S]*CC BY 4\.0[\s\S]*Examples/],
    [['secret-key', 'rotate', '--help'], /SECRET_KEY_PREVIOUS/],
    [['session', 'list', '--help'], /--json[\s\S]*Example/],
  ] as const) {
    const { code, out, err } = await admin(args);
    assert.deepEqual([code, err], [0, ''], args.join(' '));
    assert.match(out, pattern);
  }
});

test('an invalid command line gives exit code 2 and says what is wrong, without touching the database', async () => {
  for (const [args, pattern] of [
    [[], /which command\?/],
    [['account'], /account which command\?/],
    [['account', 'destroy'], /there is no command "account destroy"/],
    [['account', 'create', '--plan', 'free'], /--email is missing/],
    [
      ['account', 'create', '--email', 'a@example.com', '--plan', 'gold'],
      /"gold" is not a plan; the plans are free, developer, custom/,
    ],
    [['account', 'create', '--email', 'a@example.com', '--email', 'b@example.com'], /--email is given more than once/],
    [
      ['account', 'create', '--email', 'a.example.com', '--plan', 'free'],
      /--email: "a.example.com" is not an email address/,
    ],
    [['account', 'create', '--colour', 'red'], /--colour/],
    [['import', 'recording'], /PATH is missing/],
    [['import', 'recording', ''], /PATH is empty/],
    [['import', 'recording', 'a', 'b'], /unexpected argument "b"/],
    [['import', 'recording', 'ftp://example.com/race'], /must begin with https/],
    [['import', 'recording', 'a', '--session', '../x'], /is not an id/],
    [['import', 'recording', 'a', '--session', 'demo-race'], /built-in session/],
  ] as const) {
    const { code, out, err } = await admin(args, { DATA_DIR: empty });
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, pattern);
  }
  assert.ok(!existsSync(join(empty, 'postgres')));
});

test('a bad setting, a missing path and an unknown session each give one line and exit code 1', async () => {
  const settings = await admin(['session', 'list'], { PORT: 'abc' });
  assert.deepEqual([settings.code, settings.out], [1, '']);
  assert.match(settings.err, /^PORT: "abc" is not a port.*\n$/);
  const missing = await admin(['import', 'recording', join(dataDir, 'nothing')]);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /^\S*nothing: there is nothing at this path.*\n$/);
  const noBackup = await admin(['restore', dataDir]);
  assert.deepEqual([noBackup.code, noBackup.out], [1, '']);
  assert.match(
    noBackup.err,
    /^\S+ is not a backup: it has no manifest\.json\. Name a folder that "backup" has written\.\n$/,
  );

  const unknown = await admin(['recording', 'delete', '2026-no-race']);
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.equal(unknown.err, 'there is no session 2026-no-race: "session list" shows them\n');
});

test('an unusable DATA_DIR is named in one line', async () => {
  const file = join(dataDir, 'a-file');
  writeFileSync(file, '');
  for (const folder of [file, join(file, 'below'), '/proc/no-such-folder']) {
    const args = ['account', 'create', '--email', 'nobody@example.com', '--plan', 'free'];
    const { code, out, err } = await admin(args, { DATA_DIR: folder });
    assert.deepEqual([code, out], [1, ''], folder);
    assert.match(err, /^DATA_DIR: \S+ cannot be used.*\n$/);
  }
});

test('an address can have one account, and its ids and secret are the only output', async () => {
  const args = ['account', 'create', '--email', 'ada@example.com', '--plan', 'custom'];
  const { code, out } = await admin(args);
  assert.equal(code, 0);
  const made = JSON.parse(out);
  assert.deepEqual(Object.keys(made), ['accountId', 'clientId', 'clientSecret']);
  assert.match(made.accountId, /^acc_/);
  const again = await admin(args);
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /^an account for "ada@example.com" already exists: "account plan" changes its plan\n$/);
});

test('the tool prints results on standard output and messages on standard error, and sets its exit code', async () => {
  const listed = await adminProcess(['session', 'list']);
  assert.deepEqual(listed, { code: 0, out: '[]\n', err: '' });
  const wrong = await adminProcess(['session', 'list', 'twice']);
  assert.deepEqual([wrong.code, wrong.out], [2, '']);
});

test('a recording is imported, listed, and replaced by importing it again', async () => {
  const first = await admin(['import', 'recording', archiveFolder('laps', GOOD_LAPS)]);
  assert.equal(first.code, 0, first.err);
  const { sessionId, frames, updates, feeds } = JSON.parse(first.out);
  assert.deepEqual([sessionId, frames, feeds['session.info'], feeds['lap.count']], ['2026-testland-race', 3, 1, 2]);
  assert.equal(
    Object.values<number>(feeds).reduce((sum, count) => sum + count, 0),
    updates,
  );
  const more = archiveFolder('more-laps', `${GOOD_LAPS}00:03:00.000{"CurrentLap":3}\r\n`);
  const second = await admin(['import', 'recording', more]);
  assert.equal(JSON.parse(second.out).frames, 4);
  const listed = JSON.parse((await admin(['session', 'list'])).out);
  assert.deepEqual(
    listed.map(({ sessionId, circuitName, frameCount, demo }: Record<string, unknown>) => [
      sessionId,
      circuitName,
      frameCount,
      demo,
    ]),
    [['2026-testland-race', 'Testring', 4, false]],
  );
});

test('the list is a table on a terminal, and JSON with --json', async () => {
  const { out } = await admin(['session', 'list'], {}, true);
  assert.match(
    out,
    /^SESSION +TYPE +CIRCUIT +START +MINUTES +UPDATES\n2026-testland-race +Race +Testring +2026-05-03 14:00 +3 +\d+\n$/,
  );
  assert.equal(JSON.parse((await admin(['session', 'list', '--json'], {}, true)).out).length, 1);
});

test('a truncated recording is refused with file and line, and no part of it is kept', async () => {
  const before = readdirSync(join(dataDir, 'recordings'));
  const { code, err } = await admin([
    'import',
    'recording',
    archiveFolder('torn', `${GOOD_LAPS}00:02:00.000{"Curr`),
    '--session',
    'torn',
  ]);
  assert.equal(code, 1);
  assert.match(err, /LapCount\.jsonStream:3/);
  assert.deepEqual(readdirSync(join(dataDir, 'recordings')), before);
  assert.doesNotMatch((await admin(['session', 'list', '--json'])).out, /torn/);
});

test("an interrupted import ends with the signal's exit code and keeps nothing", async () => {
  const laps = Array.from({ length: 60_000 }, (_, lap) => {
    const time = new Date(lap * 100).toISOString().slice(11, 23);
    return `${time}{"CurrentLap":${lap}}\r\n`;
  });
  const folder = archiveFolder('interrupted', laps.join(''));
  const recordings = join(dataDir, 'recordings');
  const before = readdirSync(recordings);
  const child = spawn(process.execPath, [ADMIN, 'import', 'recording', folder, '--session', 'interrupted'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (child.exitCode === null && !readdirSync(recordings).some((name) => name.endsWith('.part'))) await pause(1);
  child.kill('SIGINT');
  assert.equal(await ended, 130, output);
  assert.equal(output, 'interrupted by SIGINT\n');
  assert.deepEqual(readdirSync(recordings), before);
  assert.doesNotMatch((await admin(['session', 'list'])).out, /"interrupted"/);
});

test('a whole race is imported, and every update is counted', async (t) => {
  const races = [{ path: archiveOf(t, archiveLines(RACE)), frameCount: RACE.frames.length }];
  if (WITHOUT_RECORDINGS === false) races.push({ path: dataPath('archive/2018-azerbaijan-race'), frameCount: 24_237 });
  for (const { path, frameCount } of races) {
    const { code, out } = await admin(['import', 'recording', path, '--session', 'baku']);
    assert.equal(code, 0);
    const { sessionId, frames, updates, feeds } = JSON.parse(out);
    assert.deepEqual([sessionId, frames], ['baku', frameCount]);
    assert.equal(
      Object.values<number>(feeds).reduce((sum, count) => sum + count, 0),
      updates,
    );
  }
});
