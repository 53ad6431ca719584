import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ArtifactCompiler, CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HEAD = { sessionId: 'test-race', seriesId: 'f1', origin: 'a test' };
const VERSION = 5;

/** Compiles in this thread, once the test releases it. */
class StepCompiler implements ArtifactCompiler {
  jobs = 0;
  fails: Error | null = null;
  deriverVersion = VERSION;
  #release: (() => void)[] = [];
  onProgress: (fraction: number) => void = () => {};

  async compile(recording: string, artifact: string, onProgress: (fraction: number) => void): Promise<void> {
    this.jobs++;
    this.onProgress = onProgress;
    await new Promise<void>((resolve) => this.#release.push(resolve));
    if (this.fails !== null) throw this.fails;
    const builder = new TimelineBuilder(HEAD, (_feed, payload) => JSON.stringify(payload));
    builder.append({ feed: 'lap.count', utcMs: 1000, lap: 1, eventType: null, touched: [], content: { data: {} } });
    const fingerprint = await fingerprintRecording(recording);
    writeArtifact(artifact, builder.build(1, 1000), { deriverVersion: this.deriverVersion, recording: fingerprint });
  }

  release(): void {
    for (const resolve of this.#release.splice(0)) resolve();
  }

  async close(): Promise<void> {
    this.fails = new Error('closed');
    this.release();
  }
}

function setUp(t: TestContext, compilationsMax = Number.POSITIVE_INFINITY) {
  const dataDir = temporaryFolder(t);
  const compiler = new StepCompiler();
  const logged: string[] = [];
  const add = (_details: object, message: string): void => void logged.push(message);
  const log = { info: add, warn: add, error: add };
  const library = new CompiledPlaybackLibrary({ dataDir, compiler, compilationsMax, deriverVersion: VERSION, log });
  const recording = recordingFile(dataDir, parseSessionId('test-race')!);
  const record = (text: string): void => {
    importRecording(recording, HEAD, [{ utcMs: 1000, topic: 'LapCount', json: JSON.stringify({ text }) }]);
  };
  record('first');
  return {
    dataDir,
    compiler,
    library,
    recording,
    record,
    logged,
    artifact: join(dataDir, 'playback/test-race.playback'),
  };
}

type SetUp = ReturnType<typeof setUp>;

async function settled({ library, compiler }: SetUp): Promise<unknown> {
  for (;;) {
    compiler.release();
    const status = await library.status('test-race');
    if (status.status !== 'preparing') return status;
    await nextTurn();
  }
}

async function prepared(setup: SetUp): Promise<void> {
  await setup.library.prepare('test-race');
  assert.deepEqual(await settled(setup), { status: 'ready', updateCount: 1 });
}

test('a session has no artifact, prepares with its progress, is ready, then opens', async (t) => {
  const setup = setUp(t);
  const { library, compiler } = setup;
  assert.deepEqual(await library.status('test-race'), { status: 'none' });
  assert.equal(await library.open('test-race'), null);
  assert.deepEqual(await library.prepare('test-race'), { status: 'preparing', progress: 0 });
  compiler.onProgress(0.5);
  compiler.onProgress(0.25);
  assert.deepEqual(await library.status('test-race'), { status: 'preparing', progress: 0.5 });
  assert.deepEqual(await settled(setup), { status: 'ready', updateCount: 1 });
  const opened = await library.open('test-race');
  assert.equal(opened!.timeline.length, 1);
  assert.equal((await library.open('test-race'))!.timeline, opened!.timeline, 'opened once');
});

test('repeated and concurrent requests to prepare compile once', async (t) => {
  const setup = setUp(t);
  const { library, compiler } = setup;
  const results = await Promise.all(Array.from({ length: 5 }, () => library.prepare('test-race')));
  for (const result of results) assert.equal(result.status, 'preparing');
  assert.deepEqual(await settled(setup), { status: 'ready', updateCount: 1 });
  assert.deepEqual(await library.prepare('test-race'), { status: 'ready', updateCount: 1 });
  assert.equal(compiler.jobs, 1);
});

test('concurrent opens read the file once', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const opened = await Promise.all(Array.from({ length: 5 }, () => setup.library.open('test-race')));
  for (const one of opened) assert.equal(one!.timeline, opened[0]!.timeline);
});

test('a failure is reported with its reason until the next try', async (t) => {
  const setup = setUp(t);
  const { library, compiler } = setup;
  compiler.fails = new Error('writing X: no space left on the disk');
  await library.prepare('test-race');
  assert.deepEqual(await settled(setup), { status: 'failed', reason: 'writing X: no space left on the disk' });
  compiler.fails = null;
  await prepared(setup);
  assert.equal(compiler.jobs, 2);
});

test('an altered artifact counts as none and is compiled again', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const bytes = readFileSync(setup.artifact);
  const altered = Buffer.from(bytes);
  altered[altered.length - 9]! ^= 4;
  rmSync(setup.artifact);
  writeFileSync(setup.artifact, altered);
  assert.equal(await setup.library.open('test-race'), null);
  assert.deepEqual(await setup.library.status('test-race'), { status: 'none' });
  assert.ok(setup.logged.includes('a playback artifact cannot be used; it will be compiled again'));
  await prepared(setup);
  assert.deepEqual(readFileSync(setup.artifact), bytes);
});

test('files that cannot be read fail only their session, with the reason, and no list of sessions', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  rmSync(setup.artifact);
  mkdirSync(setup.artifact);
  const status = await setup.library.status('test-race');
  assert.ok(status.status === 'failed' && status.reason.includes('EISDIR'), JSON.stringify(status));
  assert.equal(await setup.library.open('test-race'), null);
  rmdirSync(setup.artifact);
  await prepared(setup);
  rmSync(setup.recording);
  mkdirSync(setup.recording);
  const unreadable = await setup.library.status('test-race');
  assert.ok(unreadable.status === 'failed');
  assert.equal(unreadable.reason.match(/EISDIR/g)?.length, 1, unreadable.reason);
  assert.equal(await setup.library.open('test-race'), null);
  assert.ok(setup.logged.includes('cannot read the files of a session'));
});

test('an artifact counts as none after its recording changed, or when another version made it', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  setup.record('other');
  assert.deepEqual(await setup.library.status('test-race'), { status: 'none' });
  assert.equal(await setup.library.open('test-race'), null);
  await prepared(setup);
  setup.compiler.deriverVersion = VERSION - 1;
  rmSync(setup.artifact);
  await setup.library.prepare('test-race');
  assert.deepEqual(await settled(setup), { status: 'none' });
});

test('an id that is no slug, or has no recording, has no artifact and cannot be prepared', async (t) => {
  const { library, compiler } = setUp(t);
  for (const id of ['../recordings/test-race', '', 'other-race', 'test-race\0']) {
    assert.deepEqual(await library.status(id), { status: 'none' });
    assert.equal((await library.prepare(id)).status, 'failed');
    assert.equal(await library.open(id), null);
  }
  assert.equal(compiler.jobs, 0);
});

test('a closed library cancels its compilations and starts no more', async (t) => {
  const setup = setUp(t);
  await setup.library.prepare('test-race');
  await setup.library.close();
  assert.equal(((await settled(setup)) as { status: string }).status, 'failed');
  assert.deepEqual(await setup.library.prepare('test-race'), { status: 'failed', reason: 'the service is stopping' });
});

test('an account that prepares every session does not hold up the sessions of another one, the same ones included', async (t) => {
  const { library, compiler, dataDir } = setUp(t, 1);
  const sessions = Array.from({ length: 20 }, (_, index) => `2026-round-${index}-race`);
  for (const session of sessions)
    importRecording(recordingFile(dataDir, parseSessionId(session)!), HEAD, [
      { utcMs: 1000, topic: 'LapCount', json: JSON.stringify({ session }) },
    ]);
  for (const session of sessions.slice(0, 19)) await library.prepare(session, 'greedy');
  await library.prepare(sessions[18]!, 'modest');
  await library.prepare(sessions[19]!, 'modest');
  const ready = async (session: string) => (await library.status(session)).status === 'ready';
  let compiled = 0;
  while (!(await ready(sessions[18]!)) || !(await ready(sessions[19]!))) {
    compiler.release();
    await nextTurn();
    compiled = (await Promise.all(sessions.map(ready))).filter(Boolean).length;
  }
  assert.ok(compiled <= 5, `${compiled} were compiled first`);
});
