// A recording that the nodes of a cluster share, from its import on one node to its timeline on another; into a backup, out
// of it as a file, and back into the database.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import { removeDeleted } from '#engine/intake/recording/recording-deletion.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { importSession } from '#engine/intake/recording/session-import.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { assertBytes, newSession, published } from '#test/conformance/recording-store.ts';
import { framesOf } from '#test/racing/real-sessions.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, silentLog, temporaryDataDir, withDatabase } from '#test/support/database.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { writeShortRace } from '#test/support/short-race.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { checkRecordings } from '#workers/admin/doctor/recordings-check.ts';
import { recordingStore, settleRecordings } from '#workers/recording-store.ts';
import { PiscinaArtifactCompiler } from '#workers/tasks/piscina-artifact-compiler.ts';

const { sql, dataDir: databaseDir } = await withDatabase({ after });
const frames = WITHOUT_RECORDINGS === false ? framesOf('2025-miami-sprint') : demoSessionFrames();
const SESSION = parseSessionId('2025-shared-sprint')!;

function nodeIn(dataDir: string, inCluster = true) {
  const parts = { inCluster, dataDir, sql, log: silentLog };
  return { dataDir, parts, store: recordingStore(parts), file: recordingFile(dataDir, SESSION) };
}

function digestOf({ columns, length }: Timeline): string {
  return createHash('sha256')
    .update(columns.bodies.slice(0, columns.bodyStart[length]!))
    .update(columns.dueMs.slice(0, length))
    .digest('hex');
}

async function compiledAt(t: TestContext, { dataDir, store }: ReturnType<typeof nodeIn>): Promise<Timeline> {
  const library = new CompiledPlaybackLibrary({
    dataDir,
    recordings: store,
    compiler: new PiscinaArtifactCompiler(1),
    deriverVersion: DERIVER_VERSION,
    log: silentLog,
  });
  t.after(() => library.close());
  assert.deepEqual(await library.status(SESSION), { status: 'none' }, 'nothing is fetched to say so');
  const opened = await openPrepared(library, SESSION, systemClock, () => false);
  assert.ok(opened !== null, JSON.stringify(await library.status(SESSION)));
  return opened.timeline;
}

test('I7: a session imported at one node, whose disk is lost, is prepared at another with the same timeline', async (t) => {
  const [a, b] = [nodeIn(temporaryFolder(t)), nodeIn(temporaryFolder(t))];
  const order = { ...describeSession(F1, frames), sessionId: SESSION, demo: false, origin: 'a test' };
  const entry = await importSession(a.dataDir, a.store, order, frames);
  assert.ok(existsSync(a.file));
  rmSync(a.dataDir, { recursive: true });
  const timeline = await compiledAt(t, b);
  const here = deriveTimeline({ sessionId: SESSION, seriesId: F1.seriesId }, frames);
  assert.equal(entry.updateCount, here.length);
  assert.equal(digestOf(timeline), digestOf(here));
});

test('a command that is not told of the cluster imports for its nodes all the same', async (t) => {
  const sessionId = parseSessionId('2026-short-race')!;
  const archive = writeShortRace(temporaryFolder(t));
  const { code, err } = await runAdminCommand(databaseDir, ['import', 'recording', archive, '--session', sessionId]);
  assert.equal(code, 0, err);
  const node = nodeIn(temporaryFolder(t));
  const imported = recordingFile(databaseDir, sessionId);
  assertBytes(readFileSync(await node.store.fetch(sessionId)), readFileSync(imported));
  await sql`delete from session where session_id = ${sessionId}`;
  rmSync(imported);
});

test('a backup has shared recordings as files, whatever lies on this disk; restored, a service alone has them', async (t) => {
  const bytes = readFileSync(await nodeIn(temporaryFolder(t)).store.fetch(SESSION));
  mkdirSync(join(databaseDir, 'recordings'), { recursive: true });
  writeFileSync(recordingFile(databaseDir, SESSION), 'an older copy');
  const folder = join(temporaryDataDir(), 'backup');
  const backup = await runAdminCommand(databaseDir, ['backup', folder]);
  assert.equal(backup.code, 0, backup.err);
  const restored = temporaryDataDir();
  const restore = await runAdminCommand(restored, ['restore', folder]);
  assert.equal(restore.code, 0, restore.err);
  assertBytes(readFileSync(recordingFile(restored, SESSION)), bytes);
  const database = await openTestDatabase(restored);
  t.after(() => database.close());
  const [row] = await database.connect(1)<{ recordings: number; sessions: number }[]>`
    select (select count(*)::int from recording) as recordings, (select count(*)::int from session) as sessions`;
  assert.deepEqual({ ...row }, { recordings: 0, sessions: 1 });
});

test('the doctor reads shared recordings, names a damaged one, and says how many it had no time for', async (t) => {
  const node = nodeIn(temporaryFolder(t));
  const damaged = newSession();
  await published(node, damaged, 'first');
  assert.deepEqual(
    (await checkRecordings(sql)).map(({ level, text }) => [level, text.replace(/\d+ MiB/, 'some MiB')]),
    [['ok', '2 recordings in the database are whole (some MiB read)']],
  );
  await sql`
    delete from recording_piece using recording
    where recording_piece.recording_no = recording.recording_no and session_id = ${damaged} and piece_no = 2`;
  const [problem, rest] = await checkRecordings(sql);
  assert.deepEqual([problem!.level, rest!.level], ['problem', 'ok']);
  assert.match(problem!.text, new RegExp(`${damaged} in the database is damaged: piece 2 is missing`));
  let nowMs = 0;
  const late = await checkRecordings(sql, () => {
    nowMs += 2_000;
    return nowMs;
  });
  assert.deepEqual(
    late.map(({ level, text }) => [level, text.slice(0, 22)]),
    [['unknown', '2 more were not read: ']],
  );
  const backup = await runAdminCommand(databaseDir, ['backup', join(temporaryDataDir(), 'backup')]);
  assert.equal(backup.code, 1);
  assert.match(backup.err, /piece 2 is missing; import the session again/);
  await sql`delete from session where session_id = ${damaged}`;
  assert.deepEqual(
    [...(await sql`select from recording_piece join recording using (recording_no) where session_id = ${damaged}`)],
    [],
  );
});

test('a service that becomes a cluster puts its recordings into the database; alone again, it has them as files', async (t) => {
  const [a, b] = [nodeIn(temporaryFolder(t)), nodeIn(temporaryFolder(t))];
  const bytes = readFileSync(await a.store.fetch(SESSION));
  const rows = async (): Promise<unknown[]> => [...(await sql`select session_id, bytes, sha256 from recording`)];
  const before = await rows();
  await settleRecordings({ ...b.parts, inCluster: false });
  assert.deepEqual(await rows(), []);
  assertBytes(readFileSync(b.file), bytes);
  await settleRecordings(a.parts);
  assert.deepEqual(await rows(), before);
  writeFileSync(a.file, 'another');
  await settleRecordings(a.parts);
  assert.deepEqual(await rows(), before, 'what the database has stays');
});

test('a damaged recording stays in the database when a service is alone again, and holds up no other', async (t) => {
  const node = nodeIn(temporaryFolder(t));
  const [damaged, whole] = [newSession(), newSession()];
  for (const sessionId of [damaged, whole]) await published(node, sessionId, 'first');
  await sql`
    delete from recording_piece using recording
    where recording_piece.recording_no = recording.recording_no and session_id = ${damaged} and piece_no = 0`;
  const alone = nodeIn(temporaryFolder(t), false);
  await settleRecordings(alone.parts);
  const inFiles = readdirSync(join(alone.dataDir, 'recordings'));
  assert.deepEqual(
    [damaged, whole].map((sessionId) => inFiles.includes(`${sessionId}.frames`)),
    [false, true],
  );
  assert.deepEqual(
    [...(await sql`select session_id from recording`)].map(({ session_id: id }) => id),
    [damaged],
  );
});

test('RD1, RD2: a recording is deleted at every node, unless a run uses it', async (t) => {
  const [a, b] = [nodeIn(databaseDir), nodeIn(temporaryFolder(t))];
  const [sessionId, other] = [newSession(), newSession()];
  for (const one of [sessionId, other]) {
    await published(a, one, 'first');
    await b.store.fetch(one);
  }
  const artifact = join(b.dataDir, 'playback', `${sessionId}.1-00000000-1.playback`);
  mkdirSync(join(b.dataDir, 'playback'), { recursive: true });
  writeFileSync(artifact, 'compiled');
  await sql`insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values ('acc_1', 'a@example.org', 'free', 'cli_1', ''::bytea) on conflict do nothing`;
  await sql`insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values ('run_1', 'acc_1', ${sessionId}, 1, 'webhook', 'running', 1)`;
  const remove = () => runAdminCommand(a.dataDir, ['recording', 'delete', sessionId]);
  const used = await remove();
  assert.equal(used.code, 1);
  assert.match(used.err, /^\S+ is in use by run_1: stop that first \("run stop"\), or wait for its end\n$/);
  assert.deepEqual(await removeDeleted(sql, b.dataDir), []);

  await sql`update run set state = 'stopped', ended_at = now() where run_id = 'run_1'`;
  const deleted = await remove();
  assert.deepEqual([deleted.code, deleted.out], [0, `${JSON.stringify({ sessionId, deleted: true })}\n`], deleted.err);
  assert.equal(await b.store.find(sessionId), null);
  const fileOf = (dataDir: string) => recordingFile(dataDir, sessionId);
  assert.deepEqual(
    [a, b].map(({ dataDir }) => existsSync(fileOf(dataDir))),
    [false, true],
  );
  assert.deepEqual(await removeDeleted(sql, b.dataDir), [sessionId]);
  assert.deepEqual([existsSync(fileOf(b.dataDir)), existsSync(artifact)], [false, false]);
  assert.equal(existsSync(recordingFile(b.dataDir, other)), true);
  const again = await remove();
  assert.deepEqual([again.code, /there is no session/.test(again.err)], [1, true]);
});
