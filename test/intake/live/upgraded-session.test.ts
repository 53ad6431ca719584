// V4: a live session that is upgraded, or rolled back, in its middle keeps every update that was published as it was.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RecordingError } from '#engine/base/recording-error.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { UpdateJournal } from '#engine/intake/live/update-journal.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { DERIVER, type Deriver } from '#engine/racing/derive/deriver.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { changedDeriver, versionIn } from '#test/support/changed-deriver.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { smallMemory } from '#test/support/live-timelines.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HEAD = { sessionId: RACE.sessionId, seriesId: 'f1', origin: 'test' };
const FRAMES = RACE.frames.slice(0, 1_800);
const START_MS = FRAMES[0]!.utcMs;
const CHANGED = changedDeriver();

interface Shown {
  readonly sequence: number;
  readonly dueMs: number;
  readonly drivers: string;
  readonly body: string;
}

/** The updates as every reader of the timeline sees them. */
function shown({ memory }: { readonly memory: LiveMemory }): Shown[] {
  const { timeline } = new LiveTimeline(memory);
  const { dueMs, driversLow, touchedStart, touchedDriver, touchedPosition } = timeline.columns;
  return Array.from({ length: timeline.length }, (_, position) => {
    const { drivers } = timeline.info.rosters[timeline.rosterIndexAt(position)]!;
    const masked = drivers.filter((_driver, index) => ((driversLow[position]! >>> index) & 1) === 1);
    const touched = Array.from(
      touchedDriver.subarray(touchedStart[position], touchedStart[position + 1]),
      (index, place) => `${drivers[index]?.number}@${touchedPosition[touchedStart[position]! + place]}`,
    );
    return {
      sequence: position + 1,
      dueMs: dueMs[position]!,
      drivers: `${masked.map(({ number, team }) => `${number} ${team}`)} / ${touched}`,
      body: Buffer.from(timeline.body(position)).toString(),
    };
  });
}

/** A session over the lives of several processes. */
class Lives {
  readonly recording: string;
  readonly journal: string;
  readonly log = new RecordedLog();
  session: LiveSession;
  taken = 0;

  constructor(t: TestContext, deriver: Deriver = DERIVER) {
    const folder = temporaryFolder(t);
    this.recording = join(folder, 'race.frames');
    this.journal = join(folder, 'race.updates');
    this.session = LiveSession.begin(this.recording, HEAD, START_MS, this.#parts(deriver));
  }

  #parts(deriver: Deriver, knownMemory: LiveMemory = smallMemory(2 * 1024 * 1024, HEAD, START_MS)) {
    return { clock: new SimulatedTime(), log: this.log, knownMemory, journal: this.journal, deriver };
  }

  take(until: number): Shown[] {
    for (const frame of FRAMES.slice(this.taken, until)) this.session.take(frame, 0);
    this.taken = until;
    return shown(this.session);
  }

  /** The process was killed: nothing is closed. The next one has this deriver. */
  resume(deriver: Deriver, knownMemory?: LiveMemory): Shown[] {
    const session = LiveSession.recover(this.recording, this.#parts(deriver, knownMemory));
    assert.ok(session !== null);
    this.session = session;
    return shown(session);
  }
}

/** Each update has the sequence of its place. */
function assertCounted(updates: readonly Shown[]): void {
  for (const { sequence, body } of updates) assert.equal((JSON.parse(body) as { sequence: number }).sequence, sequence);
}

for (const [name, from, to] of [
  ['upgraded', DERIVER, CHANGED],
  ['rolled back', CHANGED, DERIVER],
] as const) {
  test(`V4: ${name} in its middle, a session keeps what is published and derives only what follows`, (t) => {
    const lives = new Lives(t, from);
    const published = lives.take(1_200);
    assert.ok(published.length > 300, `${published.length} updates`);
    const resumed = lives.resume(to);
    assert.deepEqual(resumed, published);
    const all = lives.take(1_800);
    assert.deepEqual(all.slice(0, published.length), published);
    assertCounted(all);
    const later = all.slice(published.length);
    assert.ok(later.length > 300, `${later.length} updates`);
    const [old, present] = [from, to].map(({ version }) => (version === CHANGED.version ? version : null));
    assert.ok(published.every((update) => versionIn(update.body) === old));
    assert.ok(later.every((update) => versionIn(update.body) === present));
    assert.ok(lives.log.lines.some((line) => line.includes('another version of the deriver')));
    // Upgraded and rolled back: the next process, of either version, finds all of it.
    assert.deepEqual(lives.resume(from), all);
    assert.deepEqual(lives.resume(to), all);
  });
}

test('V4: what follows an upgrade is what the new version derives from the same frames', (t) => {
  const lives = new Lives(t, CHANGED);
  const published = lives.take(1_200).length;
  lives.resume(DERIVER);
  const later = lives.take(1_800).slice(published);
  const whole = deriveTimeline(HEAD, FRAMES);
  const before = deriveTimeline(HEAD, FRAMES.slice(0, 1_200)).length;
  const bare = (body: string): string => body.replace(/"sequence":\d+/, '');
  assert.deepEqual(
    later.map(({ body }) => bare(body)),
    Array.from({ length: whole.length - before }, (_, index) =>
      bare(Buffer.from(whole.body(before + index)).toString()),
    ),
  );
});

test('V4: with the same version, a resumed session equals an uninterrupted one, wherever it was killed', (t) => {
  const whole = new Lives(t).take(900);
  for (let killed = 1; killed < 900; killed += 97) {
    const lives = new Lives(t);
    lives.take(killed);
    lives.resume(DERIVER);
    assert.deepEqual(lives.take(900), whole);
  }
});

test('V4: a thread that replaces one that died publishes into the same memory what the journal holds', (t) => {
  const lives = new Lives(t);
  const { memory } = lives.session;
  const published = lives.take(900);
  const reader = new LiveTimeline(memory);
  assert.deepEqual(lives.resume(CHANGED, memory), published);
  const all = lives.take(1_200);
  reader.refresh();
  assert.equal(reader.timeline.length, all.length);
  assert.deepEqual(all.slice(0, published.length), published);
});

test('V4: killed within a write to the journal, a session derives only what that entry held, and no update was published', (t) => {
  const lives = new Lives(t);
  const published = lives.take(600);
  const whole = statSync(lives.journal).size;
  const more = lives.take(700);
  const longer = statSync(lives.journal).size;
  assert.ok(longer > whole);
  const bytes = readFileSync(lives.journal);
  // Cut within the first entry behind `published`.
  truncateSync(lives.journal, whole + 11);
  const resumed = lives.resume(DERIVER);
  assert.deepEqual(resumed, more, 'the same version derives the lost entries again, the same ones');
  writeFileSync(lives.journal, bytes.subarray(0, whole + 11));
  const upgraded = lives.resume(CHANGED);
  assert.deepEqual(upgraded.slice(0, published.length), published, 'what the journal holds stays as it is');
  assert.ok(lives.log.lines.some((line) => line.includes('cut off a torn entry')));
  assertCounted(upgraded);
  assert.deepEqual(lives.resume(DERIVER), upgraded, 'and is in the journal then');
});

test('a journal that is missing, empty, of another session or no journal at all: all updates are derived again', (t) => {
  const other = new Lives(t);
  const bytes = () => readFileSync(other.journal);
  other.session.take({ ...FRAMES[0]!, utcMs: START_MS + 1 }, 0);
  for (const frame of FRAMES.slice(1, 300)) other.session.take({ ...frame, utcMs: frame.utcMs + 60_000 }, 0);
  const lives = new Lives(t);
  const published = lives.take(600);
  const spoil: readonly (() => void)[] = [
    () => rmSync(lives.journal),
    () => truncateSync(lives.journal, 0),
    () => truncateSync(lives.journal, 9),
    () => truncateSync(lives.journal, 17),
    () => writeFileSync(lives.journal, 'not a journal at all, but a text that is long enough'),
    () => writeFileSync(lives.journal, Buffer.concat([bytes().subarray(0, 8), Buffer.from([9, 0, 0, 0]), bytes()])),
    () => writeFileSync(lives.journal, bytes()),
  ];
  for (const [index, spoiled] of spoil.entries()) {
    spoiled();
    const before = lives.log.lines.length;
    assert.deepEqual(lives.resume(DERIVER), published, `${index}`);
    const warned = lives.log.lines.slice(before).some((line) => line.includes('cannot use the journal'));
    assert.equal(warned, index > 1, `${index}: a journal that was never begun is not worth a warning`);
    assert.deepEqual(lives.resume(CHANGED), published, 'the new journal holds them');
  }
});

test('a power cut that costs the recording more than the journal reuses no sequence, nor loses what follows', (t) => {
  const lives = new Lives(t);
  const published = lives.take(600);
  const reader = RecordingReader.open(lives.recording);
  const { length } = [...reader.frames()];
  reader.close();
  assert.equal(length, 600);
  // The last frames are gone. What they had given is published, and stays so.
  cutFrames(lives.recording, 580);
  assert.deepEqual(lives.resume(DERIVER), published);
  assert.equal(lives.session.frames, 580);
  for (const frame of FRAMES.slice(600, 640)) lives.session.take(frame, 0);
  const all = shown(lives.session);
  assert.deepEqual(all.slice(0, published.length), published);
  assert.ok(all.length > published.length);
  assertCounted(all);
  assert.deepEqual(lives.resume(DERIVER), all);
  // Killed right after it resumed: the frames that follow count anew.
  cutFrames(lives.recording, 570);
  lives.resume(DERIVER);
  const again = lives.resume(CHANGED);
  assert.deepEqual(again, all);
  for (const frame of FRAMES.slice(640, 660)) lives.session.take(frame, 0);
  assert.ok(shown(lives.session).length > all.length);
});

test('a journal that is longer than what it says, or damaged within, keeps what is before the damage', (t) => {
  const lives = new Lives(t);
  const published = lives.take(500);
  appendFileSync(lives.journal, Buffer.alloc(4_096));
  assert.deepEqual(lives.resume(CHANGED), published, 'zeros behind the last entry');
  const bytes = readFileSync(lives.journal);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(lives.journal, bytes);
  assert.deepEqual(lives.resume(DERIVER), published, 'the same version derives the rest again');
});

test('V4: updates that the journal cannot take are not published; once it can, they are, and none is missing', (t) => {
  const whole = new Lives(t).take(600);
  const lives = new Lives(t);
  const published = lives.take(300);
  const full = t.mock.method(UpdateJournal.prototype, 'append', () => {
    throw new RecordingError('io', 'writing the journal: no space left on the disk');
  });
  const thrown = FRAMES.slice(300, 320).map((frame) => {
    try {
      lives.session.take(frame, 0);
      return false;
    } catch (error) {
      assert.ok(error instanceof RecordingError);
      return true;
    }
  });
  assert.ok(thrown.includes(true));
  assert.equal(lives.session.frames, 320, 'the frames are recorded');
  assert.deepEqual(shown(lives.session), published);
  assert.deepEqual(lives.resume(DERIVER), published, 'also after a restart');
  assert.ok(lives.log.lines.some((line) => line.includes('cannot keep the updates')));
  full.mock.restore();
  lives.session.sync();
  assert.deepEqual(shown(lives.session), whole.slice(0, lives.session.updates));
  assert.ok(lives.session.updates > published.length);
  for (const frame of FRAMES.slice(320, 600)) lives.session.take(frame, 0);
  assert.deepEqual(shown(lives.session), whole);
  assert.deepEqual(lives.resume(CHANGED), whole);
});

function cutFrames(file: string, frames: number): void {
  const bytes = readFileSync(file);
  let offset = 20 + bytes.readUInt32LE(12);
  for (let frame = 0; frame < frames; frame++) offset += 12 + bytes.readUInt32LE(offset);
  truncateSync(file, offset);
}
