// A live recording on a disk that fills up.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RecordingError } from '#engine/base/recording-error.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { at, START_MS } from '#test/racing/scripted-session.ts';
import { begun, followSessions, TEST_RACE_ID } from '#test/support/live-sessions.ts';

const ID = TEST_RACE_ID;
const SMALL_DISK_BYTES = 256 * 1_024;

test('on a full disk taking a frame and beginning a session throw; the next process has every complete frame', (t) => {
  const dataDir = smallDisk(t);
  if (dataDir === null) return;
  const first = followSessions(dataDir);
  const session = begun(first.sessions);
  const ballast = join(dataDir, 'ballast');
  const fillDisk = (): void => {
    for (let bytes = SMALL_DISK_BYTES; bytes >= 1; bytes >>>= 1) {
      try {
        appendFileSync(ballast, Buffer.alloc(bytes));
      } catch {}
    }
  };
  fillDisk();
  const fill = (): void => {
    for (let i = 0; i < 1_000; i++) session.take(at(i, 'Heartbeat', { Utc: 'x'.repeat(900) }), 0);
  };
  assert.throws(fill, (error) => error instanceof RecordingError && /no space left/.test(error.message));
  const written = session.frames - 1;
  fillDisk();
  const beginsNow = (): void => {
    const other = first.sessions.begin({ sessionId: '2025-b-race', seriesId: 'f1', origin: 'test' }, START_MS);
    assert.ok(other instanceof LiveSession);
    other.take(at(0, 'Heartbeat', {}), 0);
  };
  assert.throws(beginsNow, RecordingError);
  const still = followSessions(dataDir, { knownMemory: first.memories });
  still.sessions.recover();
  assert.deepEqual(still.events, [`opened ${ID}`], 'the session without a frame is gone');
  assert.deepEqual(still.log.errors, []);
  assert.equal(still.sessions.get(ID)!.frames, written);
  rmSync(ballast);
  still.sessions.get(ID)!.take(at(2_000, 'TrackStatus', { Status: '5', Message: 'Red' }), 0);
  begun(still.sessions, '2025-b-race');
  const next = followSessions(dataDir);
  next.sessions.recover();
  assert.equal(next.sessions.get(ID)!.frames, written + 1);
});

/** A folder with room for SMALL_DISK_BYTES. Without the right to mount one, skips the test and returns null. */
function smallDisk(t: TestContext): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  const refusal = failureOf('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', folder]);
  t.after(() => {
    if (refusal === null) assert.equal(failureOf('umount', ['-l', folder]), null);
    rmSync(folder, { recursive: true });
  });
  if (refusal === null) return folder;
  t.skip(`only root can make a small disk: ${refusal}`);
  return null;
}

/** Runs a command, several times if it fails: a busy machine may refuse to start one. Returns why it failed, or null. */
function failureOf(command: string, args: readonly string[]): string | null {
  let failure = '';
  for (let tries = 0; tries < 5; tries++) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
    if (status === 0) return null;
    failure = `${command}: ${error?.message ?? stderr.trim()}`;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  return failure;
}
