import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { readArtifact, writeArtifact } from '#engine/timeline/artifact.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ORIGIN: ArtifactOrigin = { deriverVersion: 3, recording: { bytes: 12_345, crc: 0xdeadbeef } };

function timelineOf(updates: number): Timeline {
  const builder = new TimelineBuilder({ sessionId: 'test-race', seriesId: 'f1' }, (_feed, payload) =>
    JSON.stringify(payload),
  );
  builder.start(1_700_000_000_000);
  for (let i = 0; i < updates; i++) {
    if (i % 7 === 0) builder.roster([{ number: String(i % 40), tla: 'ÄBC', team: `Team ${i}` }]);
    builder.append({
      feed: i % 3 === 0 ? 'events.race' : 'timing.data',
      utcMs: 1_700_000_000_000 + i * 13,
      lap: i % 5 === 0 ? null : i,
      eventType: i % 3 === 0 ? 'overtake' : null,
      touched: Array.from({ length: i % 4 }, (_, n) => ({ number: String(n), position: n + 1 })),
      content: { text: 'grün '.repeat(i % 9) },
    });
  }
  return builder.build(updates, 1_700_000_000_000 + updates * 13);
}

async function readWhole(file: string, origin = ORIGIN): Promise<Timeline> {
  const read = await readArtifact(file, origin);
  assert.ok(!('damaged' in read), JSON.stringify(read));
  return read.timeline;
}

test('I7: a timeline read from its artifact is unchanged, and gives the same bytes again', async (t) => {
  const folder = temporaryFolder(t);
  for (const updates of [0, 1, 2, 3, 500]) {
    const timeline = timelineOf(updates);
    const file = join(folder, `${updates}.playback`);
    const size = writeArtifact(file, timeline, ORIGIN);
    const bytes = readFileSync(file);
    assert.equal(bytes.length, size);
    const read = await readWhole(file);
    assert.deepEqual(read.info, timeline.info);
    for (const [name, column] of Object.entries(timeline.columns)) {
      assert.deepEqual([...read.columns[name as keyof typeof read.columns]], [...column], name);
    }
    for (let i = 0; i < updates; i++) assert.deepEqual([...read.body(i)], [...timeline.body(i)]);
    writeArtifact(file, read, ORIGIN);
    assert.deepEqual(readFileSync(file), bytes);
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('any single altered byte is detected', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.playback');
  writeArtifact(file, timelineOf(12), ORIGIN);
  const bytes = readFileSync(file);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: bytes.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, mask) => {
        const altered = Buffer.from(bytes);
        altered[at]! ^= mask;
        writeFileSync(file, altered);
        assert.ok('damaged' in (await readArtifact(file, ORIGIN)), `byte ${at} ^ ${mask}`);
      },
    ),
    { numRuns: 400 },
  );
  // Every byte of the header, which decides what the rest means.
  for (let at = 0; at < 64; at++) {
    const altered = Buffer.from(bytes);
    altered[at]! ^= 1;
    writeFileSync(file, altered);
    assert.ok('damaged' in (await readArtifact(file, ORIGIN)), `header byte ${at}`);
  }
});

test('a file that was cut short or has grown is detected at any length', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.playback');
  const size = writeArtifact(file, timelineOf(3), ORIGIN);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(1)]));
  assert.deepEqual(await readArtifact(file, ORIGIN), { damaged: `it has ${size + 1} bytes instead of ${size}` });
  for (let length = size - 1; length >= 0; length--) {
    truncateSync(file, length);
    assert.ok('damaged' in (await readArtifact(file, ORIGIN)), `${length} bytes`);
  }
});

test('an artifact of another recording, deriver or format is stale, and the reason is given', async (t) => {
  const file = join(temporaryFolder(t), 'a.playback');
  assert.deepEqual(await readArtifact(file, ORIGIN), { damaged: 'it does not exist' });
  writeArtifact(file, timelineOf(3), ORIGIN);
  const otherRecording = { ...ORIGIN, recording: { ...ORIGIN.recording, crc: 1 } };
  assert.deepEqual(await readArtifact(file, otherRecording), { damaged: 'it was made from another recording' });
  assert.deepEqual(await readArtifact(file, { ...ORIGIN, deriverVersion: 4 }), {
    damaged: 'it was made by another version',
  });
  writeFileSync(file, 'a text that is long enough to be a header, but is nothing of that kind at all');
  assert.deepEqual(await readArtifact(file, ORIGIN), { damaged: 'it is not a playback artifact' });
});

test('another thread opens the same memory and reads the same bodies', async (t) => {
  const file = join(temporaryFolder(t), 'a.playback');
  const timeline = timelineOf(50);
  writeArtifact(file, timeline, ORIGIN);
  const read = await readArtifact(file, ORIGIN);
  assert.ok(!('damaged' in read));
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { openArtifact } = await import(workerData.module);
    const timeline = openArtifact(workerData.bytes);
    const shared = timeline.columns.bodies.buffer === workerData.bytes;
    parentPort.postMessage({ shared, info: timeline.info, body: Buffer.from(timeline.body(42)).toString() });
  `;
  const module = import.meta.resolve('#engine/timeline/artifact.ts');
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: { bytes: read.bytes, module },
  });
  const said = await new Promise<{ shared: boolean; info: unknown; body: string }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  assert.deepEqual(said, { shared: true, info: timeline.info, body: Buffer.from(timeline.body(42)).toString() });
});
