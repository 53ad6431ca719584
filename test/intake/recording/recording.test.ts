import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecordingError } from '#engine/base/recording-error.ts';
import { HEADER_FIXED_BYTES, RECORD_HEADER_BYTES } from '#engine/intake/recording/recording-format.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { recoverRecording } from '#engine/intake/recording/recording-recovery.ts';
import { RecordingWriter } from '#engine/intake/recording/recording-writer.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HEAD = { sessionId: 'test-race', seriesId: 'f1', origin: 'a test' };

function frame(index: number, size = 20): Frame {
  return {
    utcMs: 1_700_000_000_000 + index * 10 + 0.25,
    topic: 'TimingData',
    json: JSON.stringify({ i: index, x: 'ü'.repeat(size) }),
  };
}

const FRAMES = Array.from({ length: 200 }, (_, index) => frame(index));

function read(file: string): Frame[] {
  const reader = RecordingReader.open(file);
  try {
    return [...reader.frames()];
  } finally {
    reader.close();
  }
}

test('a recording returns exactly the frames that were appended', (t) => {
  const folder = temporaryFolder(t);
  let round = 0;
  const anyFrame = fc.record(
    {
      utcMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
      topic: fc.string({ unit: anyCharacter, maxLength: 60 }),
      json: fc.json(),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 40 }), (frames) => {
      const file = join(folder, `${round++}.frames`);
      const { frames: count, bytes } = importRecording(file, HEAD, frames);
      assert.equal(count, frames.length);
      assert.equal(bytes, statSync(file).size);
      assert.deepEqual(read(file), frames);
    }),
    { numRuns: 50 },
  );
});

test('records larger than the reading window are read intact', (t) => {
  const file = join(temporaryFolder(t), 'large.frames');
  const frames = [frame(0), frame(1, 900_000), frame(2), frame(3, 1_500_000), frame(4)];
  importRecording(file, HEAD, frames);
  assert.deepEqual(read(file), frames);
});

test('a recording names its session, and its fingerprint changes with its bytes', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.frames');
  importRecording(file, HEAD, FRAMES);
  const reader = RecordingReader.open(file);
  assert.deepEqual(reader.head, HEAD);
  reader.close();
  const before = await fingerprintRecording(file);
  assert.equal(before.bytes, statSync(file).size);
  importRecording(file, HEAD, [...FRAMES.slice(1), frame(0)]);
  const after = await fingerprintRecording(file);
  assert.equal(after.bytes, before.bytes);
  assert.notEqual(after.crc, before.crc);
});

test('a recording that is resumed after a restart has the frames of both runs', (t) => {
  const file = join(temporaryFolder(t), 'a.frames');
  const first = RecordingWriter.create(file, HEAD);
  for (const entry of FRAMES.slice(0, 50)) first.append(entry);
  first.sync();
  first.close();
  const recovered = recoverRecording(file);
  assert.deepEqual(recovered, { frames: 50, bytes: statSync(file).size, cutBytes: 0 });
  const second = RecordingWriter.append(file, recovered.bytes, recovered.frames);
  for (const entry of FRAMES.slice(50)) second.append(entry);
  second.sync();
  second.close();
  assert.deepEqual(read(file), FRAMES);
});

test('a tail torn at any byte is cut off behind the last complete record', (t) => {
  const folder = temporaryFolder(t);
  const whole = join(folder, 'whole.frames');
  importRecording(whole, HEAD, FRAMES.slice(0, 5));
  const bytes = readFileSync(whole);
  const ends = [HEADER_FIXED_BYTES + bytes.readUInt32LE(12)];
  for (let i = 0; i < 5; i++) ends.push(ends[i]! + RECORD_HEADER_BYTES + bytes.readUInt32LE(ends[i]!));
  assert.equal(ends.at(-1), bytes.length);
  const torn = join(folder, 'torn.frames');
  for (let size = ends[0]!; size < bytes.length; size++) {
    writeFileSync(torn, bytes.subarray(0, size));
    const frames = ends.filter((end) => end <= size).length - 1;
    const recovered = recoverRecording(torn);
    assert.deepEqual(recovered, { frames, bytes: ends[frames]!, cutBytes: size - ends[frames]! });
    assert.equal(statSync(torn).size, ends[frames]);
    assert.deepEqual(read(torn), FRAMES.slice(0, frames));
  }
});

test('a tail of zeros, as a machine crash leaves it, is cut off', (t) => {
  const file = join(temporaryFolder(t), 'a.frames');
  importRecording(file, HEAD, FRAMES);
  const size = statSync(file).size;
  appendFileSync(file, Buffer.alloc(10_000));
  assert.throws(() => read(file), { code: 'damaged' });
  assert.deepEqual(recoverRecording(file), { frames: FRAMES.length, bytes: size, cutBytes: 10_000 });
  assert.deepEqual(read(file), FRAMES);
});

test('damage before the last record throws an error with file and offset, and nothing is cut off', (t) => {
  const folder = temporaryFolder(t);
  const whole = join(folder, 'whole.frames');
  importRecording(whole, HEAD, FRAMES.slice(0, 20));
  const bytes = readFileSync(whole);
  const start = HEADER_FIXED_BYTES + bytes.readUInt32LE(12);
  const lastStart = bytes.length - RECORD_HEADER_BYTES - (bytes.length - start) / 20;
  const file = join(folder, 'flipped.frames');
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: Math.floor(lastStart) - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (at, mask) => {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= mask;
        writeFileSync(file, flipped);
        for (const attempt of [() => read(file), () => recoverRecording(file)]) {
          assert.throws(attempt, (error) => {
            assert.ok(error instanceof RecordingError && error.code === 'damaged');
            const offset = Number(/at byte (\d+)/.exec(error.message)?.[1]);
            assert.ok(error.message.includes(file) && offset <= at, error.message);
            return true;
          });
        }
        assert.equal(statSync(file).size, bytes.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('a missing file, another format version and a file that is no recording are refused with the next step', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.frames');
  assert.throws(() => RecordingReader.open(file), { code: 'missing' });
  writeFileSync(file, 'something else entirely, and long enough');
  assert.throws(() => RecordingReader.open(file), {
    code: 'not_a_recording',
    message: /a\.frames is not a recording; import/,
  });
  importRecording(file, HEAD, FRAMES);
  const bytes = readFileSync(file);
  bytes.writeUInt32LE(7, 8);
  writeFileSync(file, bytes);
  assert.throws(() => RecordingReader.open(file), { code: 'other_version', message: /format 7/ });
  truncateSync(file, 5);
  assert.throws(() => RecordingReader.open(file), { code: 'not_a_recording' });
});

test('a failed import leaves the earlier recording unchanged and no other file', (t) => {
  const folder = temporaryFolder(t);
  const file = recordingFile(folder, parseSessionId('test-race')!);
  importRecording(file, HEAD, FRAMES);
  const before = readFileSync(file);
  function* failing(): Generator<Frame> {
    yield* FRAMES.slice(0, 3);
    throw new Error('the source broke off');
  }
  assert.throws(() => importRecording(file, HEAD, failing()), { message: 'the source broke off' });
  assert.throws(() => importRecording(file, HEAD, [frame(0), { ...frame(1), topic: 'x'.repeat(300) }]), {
    code: 'too_large',
  });
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(join(folder, 'recordings')), ['test-race.frames']);
});

test('the next import of a session removes what a killed import left behind', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.frames');
  const own = `${file}.${process.pid}-77.part`;
  for (const left of [`${file}.999999999-1.part`, own, join(folder, 'b.frames.999999999-1.part')])
    writeFileSync(left, '');
  importRecording(file, HEAD, FRAMES);
  assert.deepEqual(readdirSync(folder).sort(), ['a.frames', basename(own), 'b.frames.999999999-1.part']);
});

test('a full disk is reported with the path', {
  skip: !existsSync('/dev/full') && 'no /dev/full',
}, () => {
  const writer = RecordingWriter.append('/dev/full', 0, 0);
  writer.append(FRAMES[0]!);
  assert.throws(() => writer.sync(), { code: 'io', message: /\/dev\/full: no space left on the disk/ });
  writer.close();
});

test('session ids are slugs, so that they can name files', () => {
  for (const good of ['demo-race', '2018-azerbaijan-race', '2024-britain-practice-1', 'a'])
    assert.equal(parseSessionId(good), good);
  for (const bad of ['', '..', 'a/b', 'A', 'a--b', '-a', 'a-', 'a.b', 'a\0', 'é', 'a'.repeat(101)])
    assert.equal(parseSessionId(bad), null);
});
