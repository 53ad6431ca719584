import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import type { Preparation } from '#engine/intake/playback/playback-library.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { PiscinaArtifactCompiler } from '#workers/tasks/piscina-artifact-compiler.ts';

const QUIET = { info() {}, warn() {}, error() {} };
const SESSION = parseSessionId('demo-race')!;
const HEAD = { sessionId: SESSION, seriesId: 'f1', origin: 'a test' };

function libraryIn(t: TestContext, dataDir: string): CompiledPlaybackLibrary {
  const compiler = new PiscinaArtifactCompiler(1);
  const recordings = new FileRecordings(dataDir, { put: async () => {} });
  const library = new CompiledPlaybackLibrary({
    dataDir,
    recordings,
    compiler,
    deriverVersion: DERIVER_VERSION,
    log: QUIET,
  });
  t.after(() => library.close());
  return library;
}

async function settled(library: CompiledPlaybackLibrary, seen: number[] = []): Promise<Preparation> {
  for (;;) {
    const status = await library.status(SESSION);
    if (status.status !== 'preparing') return status;
    seen.push(status.progress);
    await delay(5);
  }
}

test('I7: a pool thread compiles the same timeline as this thread derives, and reports its progress', async (t) => {
  const dataDir = temporaryFolder(t);
  const frames = demoSessionFrames();
  importRecording(recordingFile(dataDir, SESSION), HEAD, frames);
  const library = libraryIn(t, dataDir);
  const seen: number[] = [];
  await library.prepare(SESSION);
  const here = deriveTimeline(HEAD, frames);
  assert.deepEqual(await settled(library, seen), { status: 'ready', updateCount: here.length });
  assert.ok(seen.some((progress) => progress > 0 && progress < 1) || seen.length < 3, `${seen}`);
  const opened = await library.open(SESSION);
  assert.deepEqual(Buffer.from(opened!.timeline.columns.bodies), Buffer.from(here.columns.bodies));
  assert.deepEqual(opened!.timeline.columns.dueMs, here.columns.dueMs);
});

test('a recording that is damaged or of an unknown series fails with a reason that names it', async (t) => {
  const dataDir = temporaryFolder(t);
  const file = recordingFile(dataDir, SESSION);
  const library = libraryIn(t, dataDir);
  importRecording(file, { ...HEAD, seriesId: 'chess' }, [{ utcMs: 1, topic: 'TrackStatus', json: '{"Status":"1"}' }]);
  await library.prepare(SESSION);
  const unknown = await settled(library);
  assert.ok(
    unknown.status === 'failed' && /"chess" is not a known series/.test(unknown.reason),
    JSON.stringify(unknown),
  );
  importRecording(file, HEAD, [{ utcMs: 1, topic: 'TrackStatus', json: '{"Status":"1"}' }]);
  const bytes = readFileSync(file);
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(join(dataDir, 'recordings', `${SESSION}.frames`), bytes);
  await library.prepare(SESSION);
  const damaged = await settled(library);
  assert.ok(
    damaged.status === 'failed' && damaged.reason.includes(`${file} is damaged at byte`),
    JSON.stringify(damaged),
  );
});
