// Our own files after damage by disks and crashes: an artifact is read as it was written or not at all, and every frame
// of a recording, and every entry of a journal, before the damage is read unchanged.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecordingError } from '#engine/base/recording-error.ts';
import type { JournalEntry } from '#engine/intake/live/journal-format.ts';
import { JournalReader } from '#engine/intake/live/journal-reader.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { importRecording } from '#engine/intake/recording/recording-import.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { recoverRecording } from '#engine/intake/recording/recording-recovery.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { checkArtifact, readArtifact, writeArtifact } from '#engine/timeline/artifact.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { raceUnderWay, timelineFrom } from '#test/racing/scripted-session.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { smallMemory } from '#test/support/live-timelines.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { damagedBytes } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const ORIGIN: ArtifactOrigin = { deriverVersion: 3, recording: { bytes: 12_345, crc: 0xdeadbeef } };
const HEAD = { sessionId: 'test-race', seriesId: 'f1', origin: 'a test' };

function bodiesOf(timeline: Timeline): string[] {
  return Array.from({ length: timeline.length }, (_, position) => Buffer.from(timeline.body(position)).toString());
}

test('a damaged artifact is refused by every reader, or gives the timeline that was written', async (t) => {
  const cases = new Cases(t, 'files');
  const file = join(temporaryFolder(t), 'a.playback');
  const timeline = timelineFrom(raceUnderWay());
  writeArtifact(file, timeline, ORIGIN);
  const valid = readFileSync(file);
  await fc.assert(
    fc.asyncProperty(damagedBytes([valid, valid.subarray(0, 300)]), async (bytes) => {
      writeFileSync(file, bytes);
      const read = await readArtifact(file, ORIGIN);
      const checked = await checkArtifact(file, ORIGIN);
      cases.add('damaged' in read ? 'damaged' : 'read');
      assert.equal('damaged' in read, 'damaged' in checked);
      if ('damaged' in read) return assert.ok(read.damaged.length > 5);
      assert.deepEqual(read.timeline.info, timeline.info);
      assert.deepEqual(bodiesOf(read.timeline), bodiesOf(timeline));
    }),
    fuzzRuns(300),
  );
});

const FRAMES: readonly Frame[] = Array.from({ length: 12 }, (_, index) => ({
  utcMs: 1_700_000_000_000 + index * 10 + 0.25,
  topic: 'TimingData',
  json: JSON.stringify({ i: index, text: 'ü'.repeat(index * 7) }),
}));

/** The frames before the damage. */
function framesBefore(file: string): Frame[] {
  const frames: Frame[] = [];
  const reader = RecordingReader.open(file);
  try {
    for (const frame of reader.frames()) frames.push(frame);
  } catch (error) {
    if (!(error instanceof RecordingError && error.code === 'damaged')) throw error;
  } finally {
    reader.close();
  }
  return frames;
}

test('a damaged recording returns only frames that were written, and recovery keeps all of them', (t) => {
  const cases = new Cases(t, 'files');
  const file = join(temporaryFolder(t), 'a.frames');
  importRecording(file, HEAD, FRAMES);
  const valid = readFileSync(file);
  const written = new Set(FRAMES.map((frame) => JSON.stringify(frame)));
  fc.assert(
    fc.property(damagedBytes([valid]), (bytes) => {
      writeFileSync(file, bytes);
      let before: Frame[];
      try {
        before = framesBefore(file);
      } catch (error) {
        assert.ok(error instanceof RecordingError, String(error));
        cases.add('refused');
        return;
      }
      for (const frame of before) assert.ok(written.has(JSON.stringify(frame)), JSON.stringify(frame));
      try {
        const { frames, cutBytes } = recoverRecording(file);
        cases.add(cutBytes > 0 ? 'cut' : 'whole');
        assert.equal(frames, before.length);
        assert.deepEqual(framesBefore(file), before);
      } catch (error) {
        assert.ok(error instanceof RecordingError && error.code === 'damaged', String(error));
        cases.add('left for the operator');
        assert.deepEqual(readFileSync(file), bytes, 'the file is unchanged');
      }
    }),
    fuzzRuns(500),
  );
});

test('a recording that was being written when the machine stopped keeps all complete records', (t) => {
  const cases = new Cases(t, 'files');
  const file = join(temporaryFolder(t), 'a.frames');
  importRecording(file, HEAD, FRAMES);
  const valid = readFileSync(file);
  const ends = endsOf(valid);
  // What a disk leaves of an unfinished write: a part of it, followed by nothing, zeros, or old data.
  const rest = fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.nat(300).map((length) => Buffer.alloc(length)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(fc.integer({ min: ends[0]!, max: valid.length }), rest, (size, after) => {
      writeFileSync(file, Buffer.concat([valid.subarray(0, size), after]));
      const whole = ends.filter((end) => end <= size).length - 1;
      // Random data can happen to equal the lost bytes.
      const { frames } = recoverRecording(file);
      assert.ok(frames >= whole);
      assert.deepEqual(framesBefore(file).slice(0, whole), FRAMES.slice(0, whole));
      cases.add();
    }),
    fuzzRuns(300),
  );
});

/** The offsets at which the header and each record end. */
function endsOf(bytes: Buffer): number[] {
  const ends = [20 + bytes.readUInt32LE(12)];
  while (ends.at(-1)! < bytes.length) ends.push(ends.at(-1)! + 12 + bytes.readUInt32LE(ends.at(-1)!));
  return ends;
}

/** Null if there is no journal in the file. */
function entriesOf(file: string): JournalEntry[] | null {
  const reader = JournalReader.open(file);
  if (reader === null || 'unusable' in reader) return null;
  try {
    return [...reader.entries()];
  } finally {
    reader.close();
  }
}

test('a damaged journal returns its first entries as they were written, or says why it cannot be used', async (t) => {
  const cases = new Cases(t, 'files');
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.updates');
  const head = { sessionId: RACE.sessionId, seriesId: 'f1', origin: 'a test' };
  const [first] = RACE.frames;
  const session = LiveSession.begin(join(folder, 'a.frames'), head, first!.utcMs, {
    clock: new SimulatedTime(),
    log: new RecordedLog(),
    knownMemory: smallMemory(2 * 1024 * 1024, head, first!.utcMs),
    journal: file,
  });
  for (const frame of RACE.frames.slice(0, 120)) session.take(frame, 0);
  await session.close();
  const valid = readFileSync(file);
  const written = entriesOf(file)!;
  assert.ok(written.length > 20);
  fc.assert(
    fc.property(damagedBytes([valid, valid.subarray(0, 2_000)]), (bytes) => {
      writeFileSync(file, bytes);
      const read = entriesOf(file);
      cases.add(read === null ? 'unusable' : read.length === written.length ? 'whole' : 'cut');
      if (read !== null) assert.deepEqual(read, written.slice(0, read.length));
    }),
    fuzzRuns(200),
  );
});
