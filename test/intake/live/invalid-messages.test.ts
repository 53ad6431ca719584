// Invalid messages in the middle of a session: a live session, a recovery and a compilation skip them and get the same
// timeline.

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { DRIVERS_MAX, MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { importSession } from '#engine/intake/recording/session-import.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { PiscinaArtifactCompiler } from '#workers/tasks/piscina-artifact-compiler.ts';

const SESSION = parseSessionId('2026-broken-race')!;
const HEAD = { sessionId: SESSION, seriesId: 'f1', origin: 'a test' };

const deep = `${'{"a":'.repeat(MERGE_DEPTH_MAX + 2)}1${'}'.repeat(MERGE_DEPTH_MAX + 2)}`;
const crowd = Object.fromEntries(Array.from({ length: DRIVERS_MAX + 1 }, (_, n) => [n + 100, { Position: n + 1 }]));
const INVALID: readonly (readonly [topic: string, json: string])[] = [
  ['TimingData', '{"Lines":'],
  ['LapCount', '"text"'],
  ['SessionInfo', '{'],
  ['SessionStatus', 'Started'],
  // The part before its fault is merged.
  ['TimingData', `{"Lines":{"${firstNumber()}":{"LastLapTime":{"Value":"1:23.456"},"Odd":${deep}}}}`],
  ['CarData.z', '"no deflate stream"'],
  ['Position.z', JSON.stringify(deflateRawSync('{"Position":').toString('base64'))],
  // More drivers than there is room for: the first of them are added.
  ['TimingData', JSON.stringify({ Lines: crowd })],
];

function firstNumber(): string {
  const list = demoSessionFrames().find(({ topic }) => topic === 'DriverList')!;
  return Object.keys(JSON.parse(list.json))[0]!;
}

/** Frames with an invalid message every hundred. */
function brokenFrames(): Frame[] {
  const frames = demoSessionFrames().slice(0, 3_000);
  INVALID.forEach(([topic, json], index) => {
    const place = 1_000 + index * 100;
    frames.splice(place, 0, { utcMs: frames[place]!.utcMs, topic, json });
  });
  return frames;
}

function contentOf({ info, columns, length }: Timeline): unknown {
  const touched = columns.touchedStart[length]!;
  const { sessionId, seriesId, startUtcMs, rosters } = info;
  return {
    length,
    info: { sessionId, seriesId, startUtcMs, rosters },
    dueMs: columns.dueMs.slice(0, length),
    feed: columns.feed.slice(0, length),
    eventType: columns.eventType.slice(0, length),
    low: columns.driversLow.slice(0, length),
    high: columns.driversHigh.slice(0, length),
    touchedDriver: columns.touchedDriver.slice(0, touched),
    touchedPosition: columns.touchedPosition.slice(0, touched),
    bodies: Buffer.from(columns.bodies.slice(0, columns.bodyStart[length]!)).toString(),
  };
}

function partsOf(file: string, warnings: string[]) {
  const warn = (details: object) => warnings.push((details as { topic: string }).topic);
  const clock = { nowMs: () => 0, wallMs: () => 0 };
  return { clock, log: { info() {}, warn, error: warn }, journal: `${file}.updates` };
}

async function compiled(t: TestContext, dataDir: string): Promise<Timeline> {
  const library = new CompiledPlaybackLibrary({
    dataDir,
    recordings: new FileRecordings(dataDir, { put: async () => {} }),
    compiler: new PiscinaArtifactCompiler(1),
    deriverVersion: DERIVER_VERSION,
    log: { info() {}, warn() {}, error() {} },
  });
  t.after(() => library.close());
  await library.prepare(SESSION);
  while ((await library.status(SESSION)).status === 'preparing') await pause(5);
  const opened = await library.open(SESSION);
  assert.ok(opened !== null, JSON.stringify(await library.status(SESSION)));
  return opened.timeline;
}

test('I7: a recording with invalid messages gives the same timeline live, recovered and compiled', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'live.frames');
  const frames = brokenFrames();
  const warnings: string[] = [];
  const live = LiveSession.begin(file, HEAD, frames[0]!.utcMs, partsOf(file, warnings));
  for (const frame of frames.slice(0, 2_000)) live.take(frame, 0);
  await live.close();
  copyFileSync(file, join(folder, 'left.frames'));
  assert.deepEqual(new Set(warnings), new Set(INVALID.map(([topic]) => topic)));

  const again = LiveSession.recover(file, partsOf(file, []))!;
  for (const frame of frames.slice(2_000)) again.take(frame, 0);
  const entry = await again.end();
  assert.deepEqual([entry.frameCount, entry.sessionId], [frames.length, SESSION]);
  const whole = LiveSession.recover(file, partsOf(file, []))!;
  await whole.close();
  const timeline = new LiveTimeline(again.memory).timeline;
  assert.ok(timeline.length > 1_000);
  assert.deepEqual(contentOf(new LiveTimeline(whole.memory).timeline), contentOf(timeline));

  const left = contentOf(new LiveTimeline(live.memory).timeline) as { length: number; bodies: string };
  assert.ok((contentOf(timeline) as { bodies: string }).bodies.startsWith(left.bodies), 'it resumed where it left off');

  importRecording(recordingFile(folder, SESSION), HEAD, frames);
  assert.deepEqual(contentOf(await compiled(t, folder)), contentOf(timeline));
});

test('an import refuses the same messages and leaves nothing behind', async (t) => {
  const folder = temporaryFolder(t);
  const session = {
    ...HEAD,
    name: 'Broken',
    type: 'Race',
    circuitName: 'Nowhere',
    season: 2026,
    startUtcMs: 0,
    demo: false,
  };
  const recordings = new FileRecordings(folder, {
    put: async () => assert.fail('it must not be added to the catalogue'),
  });
  for (const [topic, json] of INVALID) {
    const frames = demoSessionFrames().slice(0, 500);
    frames.push({ utcMs: frames.at(-1)!.utcMs, topic, json });
    await assert.rejects(
      importSession(folder, recordings, session, frames),
      SourceError,
      `${topic} ${json.slice(0, 40)}`,
    );
  }
});
