import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ArtifactCompiler, CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
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
    const content = { data: { version: this.deriverVersion } };
    builder.append({ feed: 'lap.count', utcMs: 1000, lap: 1, eventType: null, touched: [], content });
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

interface LibrarySetup {
  readonly dataDir?: string;
  readonly deriverVersion?: number;
  readonly compilationsMax?: number;
  readonly neededOrigins?: (sessionId: string) => Promise<ReadonlySet<string>>;
  readonly otherVersions?: () => Promise<ReadonlySet<number>>;
}

function setUp(
  t: TestContext,
  { dataDir = temporaryFolder(t), deriverVersion = VERSION, ...options }: LibrarySetup = {},
) {
  const compiler = new StepCompiler();
  compiler.deriverVersion = deriverVersion;
  const logged: string[] = [];
  const add = (_details: object, message: string): void => void logged.push(message);
  const log = { info: add, warn: add, error: add };
  const recordings = new FileRecordings(dataDir, { put: async () => {} });
  const library = new CompiledPlaybackLibrary({ dataDir, recordings, compiler, deriverVersion, log, ...options });
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
    /** The path of the only artifact. */
    get artifact(): string {
      const [name, ...others] = artifacts(dataDir);
      assert.deepEqual(others, []);
      return join(dataDir, 'playback', name!);
    },
  };
}

const artifacts = (dataDir: string): string[] => readdirSync(join(dataDir, 'playback')).sort();

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
  await until(() => compiler.jobs === 1);
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
  const { artifact } = setup;
  const bytes = readFileSync(artifact);
  const altered = Buffer.from(bytes);
  altered[altered.length - 9]! ^= 4;
  rmSync(artifact);
  writeFileSync(artifact, altered);
  assert.equal(await setup.library.open('test-race'), null);
  assert.deepEqual(await setup.library.status('test-race'), { status: 'none' });
  assert.ok(setup.logged.includes('a playback artifact cannot be used'));
  await prepared(setup);
  assert.deepEqual(readFileSync(setup.artifact), bytes);
});

test('files that cannot be read fail only their session, with the reason, and no list of sessions', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const { artifact } = setup;
  rmSync(artifact);
  mkdirSync(artifact);
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
  for (const name of artifacts(setup.dataDir)) rmSync(join(setup.dataDir, 'playback', name));
  await setup.library.prepare('test-race');
  assert.deepEqual(await settled(setup), { status: 'none' });
});

const bodyOf = (opened: { readonly timeline: Timeline } | null): string =>
  Buffer.from(opened!.timeline.body(0)).toString();

for (const [name, from, to] of [
  ['forwards', VERSION, VERSION + 1],
  ['back', VERSION + 1, VERSION],
] as const) {
  test(`upgraded ${name}, a session gets a new artifact, and a run that began before opens its own`, async (t) => {
    const before = setUp(t, { deriverVersion: from });
    await prepared(before);
    const began = await before.library.open('test-race');
    const after = setUp(t, { dataDir: before.dataDir, deriverVersion: to });
    assert.deepEqual(await after.library.status('test-race'), { status: 'none' });
    await prepared(after);
    const own = await after.library.openOrigin('test-race', began!.origin);
    assert.equal(bodyOf(own), bodyOf(began));
    const current = await after.library.open('test-race');
    assert.notEqual(bodyOf(current), bodyOf(began));
    assert.notEqual(current!.origin, began!.origin);
    assert.equal(
      (await after.library.openOrigin('test-race', began!.origin))!.timeline,
      own!.timeline,
      'OA1: one copy',
    );
  });
}

test('after a new import of its recording, a run opens the artifact that it began with', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const began = await setup.library.open('test-race');
  began!.release();
  setup.record('imported again');
  await prepared(setup);
  const own = await setup.library.openOrigin('test-race', began!.origin);
  assert.equal(own!.origin, began!.origin);
  assert.notEqual((await setup.library.open('test-race'))!.origin, began!.origin);
});

test('outdated artifacts are removed once the runs are known and none of them uses one', async (t) => {
  const before = setUp(t);
  await prepared(before);
  const { origin } = (await before.library.open('test-race'))!;
  const after = setUp(t, { dataDir: before.dataDir, deriverVersion: VERSION + 1 });
  await prepared(after);
  for (const name of [
    'test-race.playback',
    'test-race.1-00000000-1.playback.1-1.part',
    'gone-race.playback',
    'notes.txt',
  ])
    writeFileSync(join(after.dataDir, 'playback', name), '');
  const own = (await after.library.openOrigin('test-race', origin))!;
  const second = (await after.library.openOrigin('test-race', origin))!;
  await after.library.sweep();
  const kept = artifacts(after.dataDir);
  assert.equal(kept.length, 3, `the present one, that of the runs and a file of another kind: ${kept}`);
  own.release();
  await nextTurn();
  const third = await after.library.openOrigin('test-race', origin);
  assert.equal(third!.timeline, second.timeline, 'still in use');
  third!.release();
  second.release();
  await until(() => artifacts(after.dataDir).length === 2);
  assert.equal(await after.library.openOrigin('test-race', origin), null);
  assert.deepEqual(await after.library.status('test-race'), { status: 'ready', updateCount: 1 });
});

test('a session whose files cannot be read or removed keeps no outdated artifact of another one', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const [present] = artifacts(setup.dataDir);
  const playback = join(setup.dataDir, 'playback');
  writeFileSync(join(playback, 'damaged-race.1-00000000-1.playback'), '');
  mkdirSync(recordingFile(setup.dataDir, parseSessionId('damaged-race')!));
  mkdirSync(join(playback, 'folder-race.1-00000000-1.playback'));
  for (const name of ['another-race.playback', 'gone-race.playback', 'test-race.1-00000000-1.playback'])
    writeFileSync(join(playback, name), '');
  await setup.library.sweep();
  assert.deepEqual(artifacts(setup.dataDir), [
    'damaged-race.1-00000000-1.playback',
    'folder-race.1-00000000-1.playback',
    present,
  ]);
  assert.equal(setup.logged.filter((message) => message === 'cannot read the files of a session').length, 2);
});

test('an outdated artifact of a run that is paused, and holds it not, is kept until the run has ended', async (t) => {
  const needed = new Set<string>();
  const setup = setUp(t, { neededOrigins: async (session) => (session === 'test-race' ? needed : new Set()) });
  await prepared(setup);
  const began = (await setup.library.open('test-race'))!;
  await setup.library.sweep();
  needed.add(began.origin);
  setup.record('imported again');
  await prepared(setup);
  began.release();
  await setup.library.sweep();
  const again = (await setup.library.openOrigin('test-race', began.origin))!;
  assert.equal(again?.origin, began.origin);
  needed.clear();
  again.release();
  await until(() => artifacts(setup.dataDir).length === 1);
});

test('while other nodes have another version, its artifacts are kept: a run that begins there may come here', async (t) => {
  const before = setUp(t);
  await prepared(before);
  const versions = new Set([VERSION]);
  const after = setUp(t, {
    dataDir: before.dataDir,
    deriverVersion: VERSION + 1,
    otherVersions: async () => versions,
  });
  await prepared(after);
  writeFileSync(join(after.dataDir, 'playback', `test-race.${VERSION - 1}-00000000-1.playback`), '');
  await after.library.sweep();
  const kept = artifacts(after.dataDir).map((name) => Number(name.split(/[.-]/)[2]));
  assert.deepEqual(kept, [VERSION, VERSION + 1]);
  versions.clear();
  await after.library.sweep();
  assert.equal(artifacts(after.dataDir).length, 1);
});

test('where all nodes have this version, an artifact of an earlier import is removed', async (t) => {
  const setup = setUp(t, { otherVersions: async () => new Set([VERSION]) });
  await prepared(setup);
  setup.record('imported again');
  await prepared(setup);
  await setup.library.sweep();
  assert.equal(artifacts(setup.dataDir).length, 1);
});

test('without an answer about the runs of a session nothing of it is removed', async (t) => {
  const setup = setUp(t, { neededOrigins: () => Promise.reject(new Error('the database is away')) });
  await prepared(setup);
  setup.record('imported again');
  await prepared(setup);
  await assert.rejects(setup.library.sweep(), /database is away/);
  assert.equal(artifacts(setup.dataDir).length, 2);
});

test('a damaged artifact of a run is not used, nor one whose origin is no origin', async (t) => {
  const setup = setUp(t);
  await prepared(setup);
  const began = (await setup.library.open('test-race'))!;
  const { artifact } = setup;
  writeFileSync(artifact, readFileSync(artifact).subarray(0, -1));
  assert.equal(await setup.library.openOrigin('test-race', began.origin), null);
  for (const origin of ['', '../../etc/passwd', '5-zz-1', `${began.origin}/..`])
    assert.equal(await setup.library.openOrigin('test-race', origin), null);
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
  const { library, compiler, dataDir } = setUp(t, { compilationsMax: 1 });
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

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}
