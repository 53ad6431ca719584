// Nodes of a cluster, each with its own DATA_DIR, on a real database: what one of them was asked to prepare, all prepare.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ArtifactCompiler, CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import { PostgresPreparations } from '#engine/intake/playback/postgres-preparations.ts';
import { PreparationsFollower } from '#engine/intake/playback/preparations-follower.ts';
import { PostgresRecordings } from '#engine/intake/recording/postgres-recordings.ts';
import { RecordingsUnreachable } from '#engine/intake/recording/recording-store.ts';
import type { SessionId } from '#engine/intake/recording/session-id.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { newSession, published } from '#test/conformance/recording-store.ts';
import { withDatabase } from '#test/support/database.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const VERSION = 5;
const { sql } = await withDatabase({ after });

/** Makes an artifact of one update, whatever was recorded. */
class ShortCompiler implements ArtifactCompiler {
  readonly compiled: string[] = [];
  readonly #deriverVersion: number;

  constructor(deriverVersion: number) {
    this.#deriverVersion = deriverVersion;
  }

  async compile(recording: string, artifact: string): Promise<void> {
    this.compiled.push(recording);
    const head = { sessionId: 'any', seriesId: 'f1', origin: 'a test' };
    const builder = new TimelineBuilder(head, (_feed, payload) => JSON.stringify(payload));
    builder.append({ feed: 'lap.count', utcMs: 1000, lap: 1, eventType: null, touched: [], content: { data: {} } });
    const origin = { deriverVersion: this.#deriverVersion, recording: await fingerprintRecording(recording) };
    writeArtifact(artifact, builder.build(1, 1000), origin);
  }

  async close(): Promise<void> {}
}

function nodeOf(t: TestContext, { client = sql, deriverVersion = VERSION } = {}) {
  const dataDir = temporaryFolder(t);
  const log = new RecordedLog();
  const clock = new SimulatedTime();
  const store = new PostgresRecordings({ sql: client, dataDir, clock, log });
  const preparations = new PostgresPreparations(client, deriverVersion);
  const compiler = new ShortCompiler(deriverVersion);
  const library = new CompiledPlaybackLibrary({
    dataDir,
    recordings: store,
    preparations,
    compiler,
    deriverVersion,
    log,
  });
  let look = async (): Promise<void> => {};
  const every = (_pauseMs: number, work: () => Promise<void>): (() => void) => {
    look = work;
    return () => {};
  };
  const follower = new PreparationsFollower({ preparations, library, clock: { every }, log });
  t.after(() => Promise.all([follower.close(), library.close()]));
  return { dataDir, store, library, compiler, log, look: () => look() };
}

type Node = ReturnType<typeof nodeOf>;

/** Without asking for a session, which would begin it. */
async function hasCompiled({ compiler }: Node, count: number): Promise<void> {
  for (let tries = 0; compiler.compiled.length < count; tries++) {
    assert.ok(tries < 500, `${count} sessions are compiled`);
    await sleep(1);
  }
}

async function settled({ library }: Node, sessionId: SessionId): Promise<string> {
  for (;;) {
    const { status } = await library.status(sessionId);
    if (status !== 'preparing') return status;
    await sleep(1);
  }
}

/** A client whose database is away for the next `away.statements` that name this. */
function failing(away: { statements: number }, name = 'recording'): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      if (away.statements > 0 && String(args[0]).includes(name)) {
        away.statements--;
        return Promise.reject(Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' }));
      }
      return Reflect.apply(target, self, args);
    },
  });
}

test('what a node was asked to prepare, another one has compiled before anybody asks it, once, one after the other', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessions = [newSession(), newSession()];
  const unwanted = newSession();
  for (const sessionId of [...sessions, unwanted]) await published(a, sessionId, 'first');
  await b.look();
  assert.deepEqual(b.compiler.compiled, []);
  for (const sessionId of sessions) {
    await a.library.prepare(sessionId);
    assert.equal(await settled(a, sessionId), 'ready');
  }
  await b.look();
  await hasCompiled(b, 1);
  assert.equal(await settled(b, sessions[1]!), 'ready');
  assert.equal(b.compiler.compiled.length, 1);
  await b.look();
  await hasCompiled(b, 2);
  assert.equal(await settled(b, sessions[0]!), 'ready');
  await b.look();
  assert.equal(b.compiler.compiled.length, 2);
  for (const { library } of [a, b]) assert.deepEqual(await library.status(unwanted), { status: 'none' });
});

test('a node that has not come to it yet says that it is preparing, and does so at once', async (t) => {
  const [a, b] = [nodeOf(t), nodeOf(t)];
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  await a.library.prepare(sessionId);
  assert.equal((await b.library.status(sessionId)).status, 'preparing');
  assert.equal(await settled(b, sessionId), 'ready');
});

test('another recording of the session is prepared nowhere until a node is asked; another deriver version neither', async (t) => {
  const [a, b, other] = [nodeOf(t), nodeOf(t), nodeOf(t, { deriverVersion: VERSION + 1 })];
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  await a.library.prepare(sessionId);
  assert.equal(await settled(a, sessionId), 'ready');
  await other.look();
  assert.equal((await other.library.status(sessionId)).status, 'none');
  await published(a, sessionId, 'second');
  await b.look();
  for (const { library } of [a, b]) assert.equal((await library.status(sessionId)).status, 'none');
  await b.library.prepare(sessionId);
  assert.equal(await settled(b, sessionId), 'ready');
  assert.equal(await settled(a, sessionId), 'ready');
});

test('a run that goes on at another node waits for a database that is away, and is played', async (t) => {
  const a = nodeOf(t);
  const sessionId = newSession();
  await published(a, sessionId, 'first');
  const clock = { ...new SimulatedTime(), sleep: () => sleep(1) } as unknown as SimulatedTime;
  const away = { statements: 0 };
  for (const name of ['recording', 'from recording_piece']) {
    away.statements = 3;
    const b = nodeOf(t, { client: failing(away, name) });
    const opened = await openPrepared(b.library, sessionId, clock, () => false);
    assert.equal(opened?.timeline.length, 1);
    assert.equal(away.statements, 0);
    opened?.release();
  }
  away.statements = 1;
  const unasked = nodeOf(t, { client: failing(away) });
  await assert.rejects(unasked.store.fetch(sessionId), RecordingsUnreachable);
  await unasked.store.fetch(sessionId);
  away.statements = 1;
  await unasked.look();
  assert.deepEqual(
    unasked.log.lines.filter((line) => line.startsWith('warn')),
    ['warn cannot ask what other nodes have prepared; it is asked again'],
  );
});

test('the states of many sessions take one question to the database', async (t) => {
  let asked = 0;
  const client = new Proxy(sql, {
    apply(target, self, args) {
      if (String(args[0]).includes('from recording')) asked++;
      return Reflect.apply(target, self, args);
    },
  });
  const node = nodeOf(t, { client });
  const sessions = [newSession(), newSession(), newSession()];
  for (const sessionId of sessions.slice(0, 2)) await published(node, sessionId, 'first');
  await node.library.prepare(sessions[0]!);
  await settled(node, sessions[0]!);
  asked = 0;
  const states = await node.library.statuses([...sessions, 'no id of a session!']);
  assert.deepEqual(
    states.map(({ status }) => status),
    ['ready', 'none', 'none', 'none'],
  );
  assert.equal(asked, 1);
});
