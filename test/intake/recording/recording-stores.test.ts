// Both recording stores on a real database. What only rows can do wrong: pieces that are lost or altered, a recording that
// is replaced while it is fetched, processes that die in the middle.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Clock } from '#engine/base/clock.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { PostgresRecordings } from '#engine/intake/recording/postgres-recordings.ts';
import { PostgresSessionCatalogue } from '#engine/intake/recording/postgres-session-catalogue.ts';
import type { SessionCatalogue } from '#engine/intake/recording/session-catalogue.ts';
import type { SessionId } from '#engine/intake/recording/session-id.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { assertBytes, newSession, published, recordingStoreConformance } from '#test/conformance/recording-store.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const KILLED = fileURLToPath(new URL('./killed-store.ts', import.meta.url));
const { database, sql } = await withDatabase({ after });
const catalogue = new PostgresSessionCatalogue(sql);
const STILL: Pick<Clock, 'nowMs'> = { nowMs: () => 0 };

recordingStoreConformance('files', async (t) => {
  const dataDir = temporaryFolder(t);
  const open = () => new FileRecordings(dataDir, catalogue);
  return { store: open(), otherStore: open(), dataDir, catalogue };
});

test('a recording in files whose catalogue entry is lost at its commit gets it all the same', async (t) => {
  const dataDir = temporaryFolder(t);
  let isLost = false;
  const losing: Pick<SessionCatalogue, 'put'> = {
    async put(entry, alongside) {
      if (isLost) return catalogue.put(entry, alongside);
      isLost = true;
      alongside();
      throw new Error('the connection was lost');
    },
  };
  const sessionId = newSession();
  await published({ store: new FileRecordings(dataDir, losing), dataDir }, sessionId, 'first');
  assert.equal((await catalogue.find(sessionId))?.sessionId, sessionId);
});

recordingStoreConformance('rows', async (t) => {
  const dataDir = temporaryFolder(t);
  const open = () => new PostgresRecordings({ sql, dataDir, clock: STILL, log: silentLog });
  return { store: open(), otherStore: open(), dataDir, catalogue };
});

interface Node {
  readonly store: PostgresRecordings;
  readonly dataDir: string;
  readonly log: RecordedLog;
  /** The names in its folder of recordings. */
  readonly files: () => string[];
}

function nodeOf(t: TestContext, parts: { readonly sql?: Sql; readonly clock?: Pick<Clock, 'nowMs'> } = {}): Node {
  const dataDir = temporaryFolder(t);
  mkdirSync(join(dataDir, 'recordings'));
  const log = new RecordedLog();
  const store = new PostgresRecordings({ sql, dataDir, clock: STILL, log, ...parts });
  return { store, dataDir, log, files: () => readdirSync(join(dataDir, 'recordings')) };
}

/** The same client, but something happens before each piece is read. */
function withPieces(before: () => Promise<void>): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      const answer = () => Reflect.apply(target, self, args);
      return String(args[0]).includes('from recording_piece') ? before().then(answer) : answer();
    },
  });
}

const rowsOf = (sessionId: SessionId) => sql<{ recordingNo: bigint; pieces: number }[]>`
  select recording_no as "recordingNo", count(piece_no)::int as pieces
  from recording left join recording_piece using (recording_no) where session_id = ${sessionId} group by 1`;

test('a recording is rows of a mebibyte, in order, and a node that lost its disk has it again', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  const bytes = await published(a, sessionId, 'first');
  const pieces = await sql<{ data: Buffer }[]>`
    select data from recording_piece join recording using (recording_no)
    where session_id = ${sessionId} order by piece_no`;
  assert.deepEqual(
    pieces.map(({ data }) => data.length),
    [1_048_576, 1_048_576, bytes.length - 2 * 1_048_576],
  );
  assertBytes(Buffer.concat(pieces.map(({ data }) => data)), bytes);
  rmSync(a.dataDir, { recursive: true });
  for (const { store } of [b, a]) assertBytes(readFileSync(await store.fetch(sessionId)), bytes);
});

test('a node fetches a recording once for all who ask, and again only after its file has changed', async (t) => {
  const a = nodeOf(t);
  let read = 0;
  const b = nodeOf(t, {
    sql: withPieces(async () => {
      read++;
    }),
  });
  const sessionId = newSession();
  const bytes = await published(a, sessionId, 'first');
  await Promise.all(Array.from({ length: 4 }, () => b.store.fetch(sessionId)));
  const file = await b.store.fetch(sessionId);
  assert.equal(read, 3);
  writeFileSync(file, Buffer.alloc(bytes.length));
  assertBytes(readFileSync(await b.store.fetch(sessionId)), bytes, 'as long, but damaged');
  const second = await published(a, sessionId, 'second');
  assertBytes(readFileSync(await b.store.fetch(sessionId)), second);
  assert.equal(read, 9);
  assert.deepEqual((await rowsOf(sessionId)).length, 1, 'the earlier one left nothing');
  assert.deepEqual(b.files(), [`${sessionId}.frames`]);
});

test('a recording that is replaced while it is fetched is fetched anew, never a mix', async (t) => {
  const a = nodeOf(t);
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  let read = 0;
  let second: Buffer = Buffer.alloc(0);
  const replacing = withPieces(async () => {
    read++;
    if (read === 2) second = await published(a, sessionId, 'second');
  });
  const b = nodeOf(t, { sql: replacing });
  assertBytes(readFileSync(await b.store.fetch(sessionId)), second);
  assert.equal(read, 5, 'one of the first, one that was gone, three of the second');
});

test('a lost or altered piece is an error that says so; nothing half-done stays, and a new import is fetched', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  for (const [damage, message] of [
    [sql`delete from recording_piece where piece_no = 1`, /damaged: piece 1 is missing; import the session again/],
    [
      sql`update recording_piece set data = set_byte(data, 7, 1 - get_byte(data, 7) % 2) where piece_no = 1`,
      /damaged: its bytes are not those that were written/,
    ],
  ] as const) {
    await published(a, sessionId, 'first');
    await damage;
    await assert.rejects(b.store.fetch(sessionId), { name: 'RecordingError', code: 'damaged', message });
    assert.deepEqual(b.files(), []);
    await sql`delete from recording where session_id = ${sessionId}`;
  }
  const bytes = await published(a, sessionId, 'first');
  assertBytes(readFileSync(await b.store.fetch(sessionId)), bytes);
});

test('a recording whose session is deleted is gone for every node, though a node has its file', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  await b.store.fetch(sessionId);
  await sql`delete from session where session_id = ${sessionId}`;
  for (const { store } of [a, b]) {
    assert.equal(await store.find(sessionId), null);
    await assert.rejects(store.fetch(sessionId), { name: 'RecordingError', code: 'missing' });
  }
});

test('a file that cannot get its name is an error of that file, and the next try works', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  const bytes = await published(a, sessionId, 'first');
  const file = join(b.dataDir, 'recordings', `${sessionId}.frames`);
  mkdirSync(file);
  await assert.rejects(b.store.fetch(sessionId), { name: 'RecordingError', code: 'io', message: /^writing .*EISDIR/ });
  assert.deepEqual(b.files(), [`${sessionId}.frames`], 'nothing else');
  rmdirSync(file);
  assertBytes(readFileSync(await b.store.fetch(sessionId)), bytes);
});

test('nobody sees what a process wrote that was killed while it published, and the next try works', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  const first = await published(a, sessionId, 'first');
  const [before] = await rowsOf(sessionId);
  const killed = killedIn(a.dataDir, sessionId, 'publish');
  assert.equal(killed.signal, 'SIGKILL', killed.stderr);
  assert.deepEqual([...(await rowsOf(sessionId))], [before]);
  assert.equal((await catalogue.find(sessionId))!.frameCount, 3);
  for (const { store } of [a, b]) assertBytes(readFileSync(await store.fetch(sessionId)), first);
  const second = await published(a, sessionId, 'second', 5);
  for (const { store, files } of [a, b]) {
    assertBytes(readFileSync(await store.fetch(sessionId)), second);
    assert.deepEqual(files(), [`${sessionId}.frames`]);
  }
});

test('nobody sees what a process wrote that was killed while it fetched, and the next try works', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  const bytes = await published(a, sessionId, 'first');
  const killed = killedIn(b.dataDir, sessionId, 'fetch');
  assert.equal(killed.signal, 'SIGKILL', killed.stderr);
  const [left, ...others] = b.files();
  assert.match(left!, /\.frames\.\d+-\d+\.part$/);
  assert.deepEqual(others, []);
  assertBytes(readFileSync(await b.store.fetch(sessionId)), bytes);
  assert.deepEqual(b.files(), [`${sessionId}.frames`], 'the remains are gone');
});

test('what takes more than a second says how far it is', async (t) => {
  let nowMs = 0;
  const slow = {
    nowMs: () => {
      nowMs += 600;
      return nowMs;
    },
  };
  const [a, b, c] = [nodeOf(t, { clock: slow }), nodeOf(t, { clock: slow }), nodeOf(t)];
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  await b.store.fetch(sessionId);
  await c.store.fetch(sessionId);
  assert.deepEqual(a.log.lines, ['info writing a recording to the database']);
  assert.deepEqual(b.log.lines, ['info fetching a recording', 'info fetched a recording']);
  assert.deepEqual(c.log.lines, ['info fetched a recording']);
});

function killedIn(dataDir: string, sessionId: SessionId, does: 'publish' | 'fetch') {
  const parts = JSON.stringify({ connection: database.connection, dataDir, sessionId, does });
  return spawnSync(process.execPath, [KILLED, parts], { encoding: 'utf8' });
}
