import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installDemoSession } from '#engine/intake/recording/demo-installation.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import type { SessionCatalogue, SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const QUIET = { info() {}, warn() {}, error() {} };

class MemoryCatalogue implements SessionCatalogue {
  readonly entries = new Map<string, SessionEntry>();
  fails: Error | null = null;

  async put(entry: SessionEntry, alongside: () => void): Promise<void> {
    if (this.fails !== null) throw this.fails;
    alongside();
    this.entries.set(entry.sessionId, entry);
  }

  async find(sessionId: string): Promise<SessionEntry | null> {
    return this.entries.get(sessionId) ?? null;
  }

  async list(): Promise<SessionEntry[]> {
    return [...this.entries.values()];
  }
}

test('the built-in session is installed once, and again when its recording or entry is missing or of another version', async (t) => {
  const dataDir = temporaryFolder(t);
  const catalogue = new MemoryCatalogue();
  const file = recordingFile(dataDir, parseSessionId('demo-race')!);
  const install = (): Promise<boolean> =>
    installDemoSession(dataDir, new FileRecordings(dataDir, catalogue), catalogue, QUIET);
  assert.equal(await install(), true);
  const installed = readFileSync(file);
  assert.equal(await install(), false);
  const entry = catalogue.entries.get('demo-race')!;
  assert.deepEqual([entry.demo, entry.type, entry.circuitName], [true, 'Race', 'Port Meridian']);
  assert.equal(entry.frameCount, demoSessionFrames().length);
  assert.equal(
    Object.values(entry.feeds).reduce((sum, count) => sum + count, 0),
    entry.updateCount,
  );

  catalogue.entries.clear();
  assert.equal(await install(), true, 'its catalogue entry is missing');
  writeFileSync(file, 'not a recording any more');
  assert.equal(await install(), true, 'its recording is unusable');
  const older = Buffer.from(installed.toString('latin1').replace('built-in session ', 'built-in session_'), 'latin1');
  writeFileSync(file, older);
  assert.equal(await install(), true, 'its recording has another version');
  assert.deepEqual(readFileSync(file), installed);
});

test('I7: the installed recording holds exactly the generated frames', async (t) => {
  const dataDir = temporaryFolder(t);
  const catalogue = new MemoryCatalogue();
  await installDemoSession(dataDir, new FileRecordings(dataDir, catalogue), catalogue, QUIET);
  const reader = RecordingReader.open(recordingFile(dataDir, parseSessionId('demo-race')!));
  assert.deepEqual([...reader.frames()], demoSessionFrames());
  reader.close();
});

test('when the catalogue fails, no recording is left behind', async (t) => {
  const dataDir = temporaryFolder(t);
  const catalogue = new MemoryCatalogue();
  catalogue.fails = new Error('the database is away');
  await assert.rejects(installDemoSession(dataDir, new FileRecordings(dataDir, catalogue), catalogue, QUIET), {
    message: 'the database is away',
  });
  assert.deepEqual(readdirSync(join(dataDir, 'recordings')), []);
});
