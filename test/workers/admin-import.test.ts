// `import recording` from sources other than an archive folder: text dumps and addresses.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SESSION_INFO } from '#test/intake/source/archive.ts';
import { archiveFiles, startArchiveServer } from '#test/intake/source/archive-server.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { DUMPED_SESSIONS, recorded, sessionPath } from '#test/racing/real-sessions.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { joinedAfter, signalrText } from '#test/support/golden-recordings.ts';

const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const dataDir = temporaryDataDir('database');
const importing = (...args: string[]) => runAdminCommand(dataDir, ['import', 'recording', ...args]);

const LAPS = '\ufeff00:00:02.000{"CurrentLap":1,"TotalLaps":3}\r\n00:01:30.000{"CurrentLap":2}\r\n';
const FILES = { SessionInfo: `\ufeff${SESSION_INFO}\r\n`, LapCount: LAPS };

test('a text file is imported; without SessionInfo it needs an id, and the error says so', async () => {
  const path = join(dataDir, 'mine.ndjson');
  writeFileSync(path, '{"topic":"LapCount","utc":"2026-05-03T14:00:00Z","data":{"CurrentLap":1,"TotalLaps":3}}\n');
  const refused = await importing(path);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /^SessionInfo: nothing says which session this is\. .*with --session\n$/);
  const vague = await importing(path, '--session', 'mine');
  assert.equal(vague.code, 1);
  assert.match(vague.err, /the id mine does not give the year, place and kind/);
  const { code, out } = await importing(path, '--session', '2026-testland-race');
  assert.equal(code, 0);
  const imported = JSON.parse(out);
  assert.deepEqual(Object.keys(imported), ['sessionId', 'frames', 'updates', 'feeds', 'missing', 'identities']);
  assert.deepEqual([imported.sessionId, imported.frames, imported.feeds['lap.count']], ['2026-testland-race', 1, 1]);
});

test('a text file of another series is imported when the series is named', async () => {
  const path = join(dataDir, 'karts.ndjson');
  const lines = [
    ['Meeting', { name: 'Club Race', venue: 'Northfield', start: '2026-05-03T14:00:00Z' }],
    ['Karts', { 7: { name: 'Ada Quick', code: 'ADA', team: 'Red Shed' } }],
    ['Laps', { 7: { position: 1, laps: 1, last: '48.213' } }],
  ].map(([topic, data]) => JSON.stringify({ topic, utc: '2026-05-03T14:00:00Z', data }));
  writeFileSync(path, `${lines.join('\n')}\n`);
  const unknown = await importing(path, '--series', 'chess');
  assert.deepEqual([unknown.code, unknown.out], [2, '']);
  assert.match(unknown.err, /^--series: "chess" is not f1 or karting\n/);
  const { code, out, err } = await importing(path, '--series', 'karting');
  assert.equal(code, 0, err);
  const { missing, identities, ...counts } = JSON.parse(out);
  const feeds = { 'karting.entries': 1, 'karting.laps': 1 };
  assert.deepEqual(counts, { sessionId: '2026-club-race', frames: 3, updates: 2, feeds });
  assert.deepEqual([missing, identities], [['Heat'], 'recording']);
});

test('dumps of FastF1 and of SignalR are imported with every frame', async () => {
  const golden = joinedAfter(60, RACE);
  const path = join(dataDir, 'connection.ndjson');
  writeFileSync(path, signalrText(golden));
  interface Dump {
    readonly sessionId: string;
    readonly path: string;
    readonly args: readonly string[];
    readonly frames: number;
    readonly missing: readonly string[];
  }
  const dumps: Dump[] = [
    {
      sessionId: RACE.sessionId,
      path,
      args: [],
      frames: Object.keys(golden.initial).length + golden.frames.length,
      missing: [],
    },
  ];
  const REAL = {
    '2025-azerbaijan-qualifying': {
      args: ['--session', '2025-azerbaijan-qualifying'],
      frames: 7_927,
      missing: [],
    },
    '2025-miami-race': { args: [], frames: 7_700, missing: ['LapCount'] },
    '2026-austria-qualifying': { args: [], frames: 6_588, missing: [] },
  } as const;
  for (const { sessionId } of recorded(...DUMPED_SESSIONS)) {
    const { args, frames, missing } = REAL[sessionId as keyof typeof REAL];
    dumps.push({ sessionId, path: sessionPath(sessionId), args, frames, missing });
  }
  for (const { sessionId, path: dump, args, frames, missing } of dumps) {
    const { code, out, err } = await importing(dump, ...args);
    assert.equal(code, 0, err);
    const imported = JSON.parse(out);
    assert.deepEqual([imported.sessionId, imported.frames], [sessionId, frames]);
    assert.deepEqual(imported.missing, missing);
    assert.ok(imported.feeds['timing.data'] > (sessionId === RACE.sessionId ? 500 : 1_000));
  }
});

test('a session is imported from its address, and topics missing in the archive are named', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES, ['TeamRadio']));
  const { code, out, err } = await importing(server.baseUrl.slice(0, -1));
  assert.equal(code, 0, err);
  const imported = JSON.parse(out);
  assert.deepEqual([imported.sessionId, imported.frames], ['2018-azerbaijan-race', 3]);
  assert.deepEqual([imported.feeds['session.info'], imported.feeds['lap.count']], [1, 2]);
  assert.match(err, /^topic TeamRadio is left out: it is missing in the archive \(status 404\)\n/);
  server.requests.length = 0;
  assert.equal((await importing(`${server.baseUrl}Index.json`)).code, 0);
  assert.deepEqual(
    server.requests.map(({ file }) => file),
    ['Index.json', 'TeamRadio.jsonStream'],
  );
});

test('an address that refuses and an invalid address are reported', async (t) => {
  const server = await startArchiveServer(t, new Map());
  server.misbehave((_, response) => {
    response.writeHead(403).end();
    return true;
  });
  const refused = await importing(server.baseUrl);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /the archive refuses it \(403\)\. .*not taken place, are not stored yet/);
  const wrong = await importing('ftp://example.org/race/');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /^ftp:\/\/example\.org\/race\/: it must begin with https/);
});

test("Ctrl-C ends a download with the signal's exit code and keeps the bytes that have arrived", async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  let reached = (): void => {};
  const begun = new Promise<void>((resolve) => {
    reached = resolve;
  });
  server.misbehave((file, response, body) => {
    if (file !== 'LapCount.jsonStream') return false;
    response.writeHead(200, { 'content-length': body!.length, etag: '"a"' });
    response.write(body!.subarray(0, 20), () => reached());
    return true;
  });
  const own = join(dataDir, 'own');
  const child = spawn(process.execPath, [ADMIN, 'import', 'recording', server.baseUrl], {
    env: { PATH: process.env.PATH, DATA_DIR: own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise((resolve) => child.on('close', resolve));
  await begun;
  const [slug] = readdirSync(join(own, 'downloads'));
  const part = join(own, 'downloads', slug!, 'LapCount.jsonStream.part');
  while (child.exitCode === null && !existsSync(part)) await pause(1);
  child.kill('SIGINT');
  assert.equal(await ended, 130, output);
  assert.equal(output, 'interrupted by SIGINT\n');
  assert.ok(existsSync(part));
  assert.ok(!existsSync(join(own, 'recordings')));
});
