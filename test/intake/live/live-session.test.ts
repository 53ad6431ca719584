// A live session: what it records, derives and publishes, and what survives a crash at any moment.

import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIVE_PROBLEMS_LOGGED_MAX, SESSION_SPAN_MS_MAX } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { LiveSession, type LiveSessionParts } from '#engine/intake/live/live-session.ts';
import { SessionProgress } from '#engine/intake/live/session-progress.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { at, raceUnderWay, START_MS } from '#test/racing/scripted-session.ts';
import { topicSamples } from '#test/racing/topic-samples.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { smallMemory } from '#test/support/live-timelines.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HEAD = { sessionId: '2025-test-race', seriesId: 'f1', origin: 'test' };

/** Small memory unless the test gives some: one test begins hundreds of sessions. */
function parts(knownMemory: LiveMemory = smallMemory(512 * 1024, HEAD, START_MS)) {
  return { clock: new SimulatedTime(), log: new RecordedLog(), knownMemory };
}

/** With memory of the usual size. */
const spacious = () => ({ ...parts(), knownMemory: undefined });

type Given = Omit<LiveSessionParts, 'journal'>;

const journalOf = (file: string): string => file.replace('.frames', '.updates');

function begin(file: string, startUtcMs: number, given: Given = parts()): LiveSession {
  return LiveSession.begin(file, HEAD, startUtcMs, { ...given, journal: journalOf(file) });
}

const tryToRecover = (file: string, given: Given): LiveSession | null =>
  LiveSession.recover(file, { ...given, journal: journalOf(file) });

function recover(file: string, given: Given = parts()): LiveSession {
  const session = tryToRecover(file, given);
  assert.ok(session, 'the recording can be resumed');
  return session;
}

const shown = (session: LiveSession): Timeline => new LiveTimeline(session.memory).timeline;

function assertSame(actual: Timeline, expected: Timeline): void {
  assert.equal(actual.length, expected.length);
  for (let position = 0; position < expected.length; position++) {
    const [body, wanted] = [actual.body(position), expected.body(position)];
    if (Buffer.compare(body, wanted) !== 0) assert.equal(Buffer.from(body).toString(), Buffer.from(wanted).toString());
    for (const name of ['dueMs', 'feed', 'eventType', 'driversLow', 'driversHigh', 'touchedStart'] as const) {
      if (actual.columns[name][position] !== expected.columns[name][position]) assert.fail(`${name} at ${position}`);
    }
  }
  const needed = ({ info, length }: Timeline): string =>
    JSON.stringify(info.rosters.filter(({ fromPosition }) => fromPosition < length));
  assert.ok(needed(actual) === needed(expected), 'the same drivers from the same positions on');
}

const takeAll = (session: LiveSession, frames: Iterable<Frame>): void => {
  for (const frame of frames) session.take(frame, 0);
};

const SPRINTS = [SPRINT, ...recorded('2025-miami-sprint')];

for (const session of SPRINTS) {
  test(`I7: ${session.sessionId}, killed again and again at random moments, equals an uninterrupted session`, (t) => {
    const frames = session.frames.slice(0, 6_000);
    const expected = deriveTimeline(HEAD, frames);
    const file = join(temporaryFolder(t), 'race.frames');
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    let live = begin(file, frames[0]!.utcMs, spacious());
    let taken = 0;
    let kills = 0;
    while (taken < frames.length) {
      const until = Math.min(frames.length, taken + 1 + random(Math.floor(0.3 * frames.length)));
      takeAll(live, frames.slice(taken, until));
      taken = until;
      const published = shown(live).length;
      // Killed: nothing is closed. Every other kill leaves a part of a record.
      const torn = readFileSync(file).subarray(60, 60 + random(300));
      if (kills++ % 2 === 0) appendFileSync(file, torn);
      live = recover(file, spacious());
      assert.equal(live.frames, taken, 'every complete frame is recovered');
      assert.equal(shown(live).length, published, 'V1: what was published is derived again');
    }
    assert.ok(kills >= 4, `${kills} kills`);
    assertSame(shown(live), expected);
  });
}

for (const session of SPRINTS) {
  test(`two recoveries in a row, without a frame between them, change nothing: ${session.sessionId}`, (t) => {
    const frames = session.frames.slice(0, 800);
    const file = join(temporaryFolder(t), 'race.frames');
    takeAll(begin(file, frames[0]!.utcMs, spacious()), frames);
    appendFileSync(file, Buffer.alloc(13, 1));
    const given = spacious();
    const once = recover(file, given);
    assert.match(given.log.lines.join(), /torn frame/);
    const bytes = readFileSync(file);
    const again = spacious();
    const twice = recover(file, again);
    assert.deepEqual(again.log.lines, [], 'nothing to repair the second time');
    assert.ok(readFileSync(file).equals(bytes));
    assertSame(shown(twice), shown(once));
  });
}

test('cut anywhere in its last record, a recording loses that record and no other', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'race.frames');
  const session = begin(file, START_MS);
  const frames = raceUnderWay();
  takeAll(session, frames.slice(0, -1));
  const whole = readFileSync(file).length;
  const before = shown(session).length;
  session.take(frames.at(-1)!, 0);
  const longer = readFileSync(file).length;
  for (let bytes = whole + 1; bytes < longer; bytes += 7) {
    const cut = join(folder, `cut-${bytes}.frames`);
    copyFileSync(file, cut);
    truncateSync(cut, bytes);
    const recovered = recover(cut);
    assert.equal(recovered.frames, frames.length - 1);
    assert.equal(shown(recovered).length, before);
    recovered.take(frames.at(-1)!, 0);
    assertSame(shown(recovered), shown(session));
  }
});

test('a recording that ends within its header, or right behind it, is not resumed', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'race.frames');
  begin(file, START_MS).take(at(0, 'Heartbeat', {}), 0);
  const bytes = readFileSync(file);
  const header = bytes.indexOf('}') + 1;
  for (const length of [0, 1, 19, 20, header - 1, header, header + 5]) {
    writeFileSync(file, bytes.subarray(0, length));
    assert.equal(tryToRecover(file, parts()), null, `${length} bytes`);
  }
});

test('damage in the middle of a recording throws, and the file stays unchanged', (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  takeAll(begin(file, START_MS), raceUnderWay());
  const bytes = readFileSync(file);
  bytes[bytes.indexOf('SessionStatus') + 20]! ^= 0xff;
  writeFileSync(file, bytes);
  assert.throws(() => tryToRecover(file, parts()), RecordingError);
  assert.ok(readFileSync(file).equals(bytes));
});

test('L1: a session recovered over memory that others read continues there and publishes what was only recorded', (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  const frames = raceUnderWay();
  const session = begin(file, START_MS);
  takeAll(session, frames);
  const reader = new LiveTimeline(session.memory);
  const { length } = reader.timeline;
  const before = Array.from({ length }, (_, position) => Buffer.from(reader.timeline.body(position)).toString());
  const next = recover(file, parts(session.memory));
  assert.equal(next.memory, session.memory);
  next.take(at(5, 'TrackStatus', { Status: '4', Message: 'SCDeployed' }), 77);
  reader.refresh();
  assert.ok(reader.timeline.length > length);
  assert.equal(reader.receivedMs(length), 77);
  before.forEach((body, position) => {
    assert.equal(Buffer.from(reader.timeline.body(position)).toString(), body);
  });
  assertSame(
    reader.timeline,
    deriveTimeline(HEAD, [...frames, at(5, 'TrackStatus', { Status: '4', Message: 'SCDeployed' })]),
  );
});

test('V2: a message without a time, with an earlier one or one far beyond any session gets the time before it', (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  const session = begin(file, START_MS);
  const message = (utcMs: number | null) => ({ topic: 'Heartbeat', json: '{}', utcMs });
  session.take(message(START_MS), 0);
  session.take(message(START_MS + 2_000), 0);
  session.take(message(null), 0);
  session.take(message(START_MS + 500), 0);
  session.take(message(START_MS + SESSION_SPAN_MS_MAX + 1), 0);
  session.take(message(START_MS + 3_000), 0);
  const reader = RecordingReader.open(file);
  const times = Array.from(reader.frames(), ({ utcMs }) => utcMs - START_MS);
  reader.close();
  assert.deepEqual(times, [0, 2_000, 2_000, 2_000, 2_000, 3_000]);
});

test('V3: invalid messages are recorded without updates, and a recovery and a replay both skip them', (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  const given = parts();
  const session = begin(file, START_MS, given);
  const invalid = [
    { utcMs: START_MS, topic: 'CarData.z', json: '"bm8gZGVmbGF0ZQ=="' },
    { utcMs: START_MS, topic: 'TimingData', json: '"a text"' },
    { utcMs: START_MS, topic: 'Unknown', json: '{"a":1}' },
    { utcMs: START_MS, topic: 'WeatherData', json: '{' },
  ];
  const frames = [...raceUnderWay(), ...invalid, at(6, 'TrackStatus', { Status: '5', Message: 'Red' })];
  takeAll(session, frames);
  const expected = shown(session);
  assert.equal(session.frames, frames.length);
  assert.equal(given.log.lines.length, 3, given.log.lines.join('\n'));
  assertSame(shown(recover(file)), expected);
  const reader = RecordingReader.open(file);
  const problems: unknown[] = [];
  assertSame(
    deriveTimeline(HEAD, reader.frames(), undefined, (problem) => problems.push(problem)),
    expected,
  );
  reader.close();
  assert.equal(problems.length, 3);
});

test('the log names only the first few of many invalid messages', (t) => {
  const given = parts();
  const session = begin(join(temporaryFolder(t), 'race.frames'), START_MS, given);
  for (let i = 0; i < 3 * LIVE_PROBLEMS_LOGGED_MAX; i++)
    session.take({ topic: 'WeatherData', json: '"x"', utcMs: null }, 0);
  assert.equal(given.log.lines.length, LIVE_PROBLEMS_LOGGED_MAX);
});

test('a message that is too large for a recording is refused and leaves the session unchanged', (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  const session = begin(file, START_MS);
  session.take(at(0, 'Heartbeat', {}), 0);
  const large = { topic: 'Heartbeat', json: JSON.stringify({ a: 'x'.repeat(5 * 1024 * 1024) }), utcMs: START_MS };
  assert.throws(
    () => session.take(large, 0),
    (error) => error instanceof RecordingError && error.code === 'too_large',
  );
  session.take(at(1, 'Heartbeat', {}), 0);
  assert.equal(session.frames, 2);
  assert.equal(recover(file).frames, 2);
});

test('the phase follows the status that the upstream sends', (t) => {
  const session = begin(join(temporaryFolder(t), 'race.frames'), START_MS);
  const phases = ['Inactive', 'Started', 'Aborted', 'Started', 'Finished', 'Finalised', 'Ends'].map(
    (Status, second) => {
      session.take(at(second, 'SessionStatus', { Status }), 0);
      return session.phase;
    },
  );
  assert.deepEqual(phases, ['upcoming', 'live', 'live', 'live', 'live', 'finished', 'finished']);
});

test('a session is upcoming before its first message, and live with messages but no status', (t) => {
  const session = begin(join(temporaryFolder(t), 'race.frames'), START_MS);
  assert.equal(session.phase, 'upcoming');
  session.take(at(0, 'Heartbeat', {}), 0);
  assert.equal(session.phase, 'live');
});

for (const sprint of SPRINTS) {
  test(`an ended session is sealed, and its entry describes the recording: ${sprint.sessionId}`, async (t) => {
    const frames = sprint.frames.slice(0, 500);
    const file = join(temporaryFolder(t), 'race.frames');
    const session = begin(file, frames[0]!.utcMs, spacious());
    takeAll(session, frames);
    const reader = new LiveTimeline(session.memory);
    const entry = await session.end();
    reader.refresh();
    assert.ok(reader.sealed);
    const timeline = deriveTimeline(HEAD, frames);
    assert.equal(entry.sessionId, HEAD.sessionId, 'the id under which it was recorded');
    assert.deepEqual([entry.frameCount, entry.updateCount, entry.type], [500, timeline.length, 'Sprint']);
    assert.equal(entry.durationMs, timeline.info.durationMs);
    assert.equal(
      Object.values(entry.feeds).reduce((sum, count) => sum + count, 0),
      timeline.length,
    );
    await session.close();
  });
}

test('a session without a SessionInfo is described by its id', async (t) => {
  const folder = temporaryFolder(t);
  for (const [sessionId, type] of [
    ['2026-club-qualifying', 'Qualifying'],
    ['my-club-day', 'Race'],
  ] as const) {
    const given = { ...parts(), journal: join(folder, `${sessionId}.updates`) };
    const session = LiveSession.begin(join(folder, sessionId), { ...HEAD, sessionId }, START_MS, given);
    session.take(at(0, 'Heartbeat', {}), 0);
    const entry = await session.end();
    assert.deepEqual([entry.sessionId, entry.type], [sessionId, type]);
  }
});

const EVERY_TOPIC = [RACE.frames, ...(WITHOUT_RECORDINGS === false ? [topicSamples()] : [])];

for (const [index, frames] of EVERY_TOPIC.entries()) {
  test(`messages of every topic survive a recovery between any two of them: ${index + 1}`, (t) => {
    const step = Math.ceil(frames.length / 6);
    const file = join(temporaryFolder(t), 'race.frames');
    let session = begin(file, frames[0]!.utcMs, spacious());
    for (let from = 0; from < frames.length; from += step) {
      takeAll(session, frames.slice(from, from + step));
      session = recover(file, spacious());
    }
    assertSame(shown(session), deriveTimeline(HEAD, frames));
  });
}

test('progress shows in shared memory after each frame, and right after a recovery', async (t) => {
  const file = join(temporaryFolder(t), 'race.frames');
  const given = parts();
  given.clock.spend(7);
  const session = begin(file, START_MS, given);
  const watched = new SessionProgress(session.progress.memory);
  assert.deepEqual([watched.frames, watched.updates, watched.lastFrameMs], [0, 0, 7]);
  for (const [index, frame] of raceUnderWay().entries()) {
    session.take(frame, 100 + index);
    assert.deepEqual([watched.frames, watched.updates], [index + 1, session.updates]);
    assert.equal(watched.lastFrameMs, 100 + index);
  }
  assert.ok(watched.updates > 0);
  await session.close();
  const again = parts();
  again.clock.spend(9);
  const { progress } = recover(file, again);
  assert.deepEqual([progress.frames, progress.updates], [watched.frames, watched.updates]);
  assert.equal(progress.lastFrameMs, 9);
});

test('I7: what was known before a session is recorded once, and a recovery and a replay have the same odds from it', (t) => {
  const file = join(temporaryFolder(t), '2025-test-race.frames');
  const session = begin(file, START_MS);
  takeAll(session, raceUnderWay());
  session.know({ LearntTo: '2025-china', Strengths: { 'george-russell': 2 } });
  session.know({ LearntTo: '2025-japan', Strengths: { 'george-russell': -2 } });
  const { frames, lastFrameMs } = session;
  assert.equal(frames, raceUnderWay().length + 1);
  takeAll(session, [
    at(60, 'LapCount', { CurrentLap: 11 }),
    at(61, 'TimingData', { Lines: { 1: { NumberOfLaps: 10 } } }),
  ]);
  const recovered = recover(file);
  recovered.know({ LearntTo: '2025-japan', Strengths: { 'george-russell': -2 } });
  assert.equal(recovered.frames, session.frames);
  assert.equal(session.lastFrameMs, lastFrameMs);
  assertSame(shown(recovered), shown(session));
  const reader = RecordingReader.open(file);
  const replayed = [...reader.frames()];
  reader.close();
  assertSame(deriveTimeline(HEAD, replayed), shown(session));
});
