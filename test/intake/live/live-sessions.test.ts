// Live sessions over the lives of several processes: what each process recovers, resumes and ends.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_ABANDONED_MS, LIVE_SESSIONS_MAX, RECORD_RETRY_MS } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { at, raceUnderWay, START_MS } from '#test/racing/scripted-session.ts';
import {
  begun,
  followSessions,
  fullOnce,
  MemoryCatalogue,
  type RecordedLog,
  TEST_RACE_ID,
} from '#test/support/live-sessions.ts';
import { smallMemory } from '#test/support/live-timelines.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = TEST_RACE_ID;
/** It stays for the deliveries that are left. */
const JOURNAL = `${ID}.updates`;

/** A file system in memory, on Linux usually not the one of the temporary files. */
const SHM = '/dev/shm';
const WITHOUT_SHM =
  existsSync(SHM) && statSync(SHM).dev !== statSync(tmpdir()).dev ? false : 'no other file system at /dev/shm';

const recording = (dataDir: string, id = ID): string => join(dataDir, 'recordings', `${id}.frames`);
const left = (dataDir: string): string[] => readdirSync(join(dataDir, 'live')).sort();

test('a session that ends has its catalogue entry and its recording, and leaves only its journal behind', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, events, catalogue } = followSessions(dataDir);
  const session = begun(sessions);
  assert.deepEqual(left(dataDir), [`${ID}.frames`, JOURNAL]);
  await sessions.end(session);
  assert.deepEqual(events, [`opened ${ID}`, `ended ${ID}`]);
  assert.equal(catalogue.entries.get(ID)!.frameCount, raceUnderWay().length);
  assert.deepEqual(left(dataDir), [JOURNAL]);
  const reader = RecordingReader.open(recording(dataDir));
  assert.equal([...reader.frames()].length, raceUnderWay().length);
  reader.close();
  assert.ok(new LiveTimeline(session.memory).sealed);
});

test('live recordings on another file system are moved to the others as well', { skip: WITHOUT_SHM }, async (t) => {
  const dataDir = temporaryFolder(t);
  const elsewhere = mkdtempSync(join(SHM, 'slipstream-test-'));
  t.after(() => rmSync(elsewhere, { recursive: true }));
  symlinkSync(elsewhere, join(dataDir, 'live'));
  const { sessions, catalogue, log } = followSessions(dataDir);
  const session = begun(sessions);
  const bytes = readFileSync(session.file);
  const ended = sessions.end(session);
  t.after(() => sessions.close());
  await until(() => log.lines.some((line) => line.startsWith('warn')) || catalogue.entries.has(ID));
  assert.deepEqual(
    log.lines.filter((line) => line.startsWith('warn')),
    [],
  );
  await ended;
  assert.ok(readFileSync(recording(dataDir)).equals(bytes));
  assert.deepEqual(readdirSync(join(dataDir, 'recordings')), [`${ID}.frames`]);
  assert.deepEqual(left(dataDir), [JOURNAL]);
});

test('the id of a session that is over begins no second one, and its recording stays', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions } = followSessions(dataDir);
  await sessions.end(begun(sessions));
  const bytes = readFileSync(recording(dataDir));
  assert.equal(sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS), 'over');
  assert.ok(readFileSync(recording(dataDir)).equals(bytes));
});

test('with the database away, the end of a session is retried until it succeeds; meanwhile its id is taken', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, time, catalogue, log, events } = followSessions(dataDir);
  catalogue.away = true;
  const ended = sessions.end(begun(sessions));
  await until(() => failedTries(log) === 1);
  await time.pass(RECORD_RETRY_MS);
  assert.equal(failedTries(log), 2);
  assert.equal(sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS), 'ending');
  assert.deepEqual(events, [`opened ${ID}`], 'the end is not reported before it can be replayed');
  catalogue.away = false;
  await time.pass(2 * RECORD_RETRY_MS);
  await ended;
  assert.equal(events.at(-1), `ended ${ID}`);
});

test('on a full disk, the end of a session is tried again until its last updates are kept', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, time, catalogue, log, events } = followSessions(dataDir);
  const session = begun(sessions);
  fullOnce(t, session);
  const ended = sessions.end(session);
  ended.catch(() => {});
  await until(() => failedTries(log) === 1);
  assert.equal(sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS), 'ending');
  await time.pass(RECORD_RETRY_MS);
  await ended;
  assert.deepEqual(events, [`opened ${ID}`, `ended ${ID}`]);
  assert.equal(catalogue.entries.get(ID)!.frameCount, raceUnderWay().length);
});

test('when the process stops while the database is away, the next one completes the end of the session', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = followSessions(dataDir);
  first.catalogue.away = true;
  const ended = first.sessions.end(begun(first.sessions));
  const failed = assert.rejects(ended);
  await until(() => failedTries(first.log) === 1);
  await first.sessions.close();
  await failed;
  const next = followSessions(dataDir);
  next.sessions.recover();
  await until(() => next.events.length === 2);
  assert.deepEqual(next.events, [`opened ${ID}`, `ended ${ID}`]);
  assert.equal(next.catalogue.entries.size, 1);
  assert.deepEqual(left(dataDir), [JOURNAL]);
});

test('after a kill between the move of the recording and its catalogue entry, the next process adds the entry', async (t) => {
  const dataDir = temporaryFolder(t);
  class Crashing extends MemoryCatalogue {
    override async put(_entry: unknown, alongside: () => void): Promise<void> {
      alongside();
      // The transaction is never committed.
      await new Promise(() => {});
    }
  }
  const first = followSessions(dataDir, { catalogue: new Crashing() });
  void first.sessions.end(begun(first.sessions));
  await until(() => existsSync(recording(dataDir)));
  const bytes = readFileSync(recording(dataDir));
  const next = followSessions(dataDir);
  next.sessions.recover();
  await until(() => next.events.length === 2);
  assert.deepEqual(next.events, [`opened ${ID}`, `ended ${ID}`]);
  assert.equal(next.catalogue.entries.get(ID)!.frameCount, raceUnderWay().length);
  assert.deepEqual(left(dataDir), [JOURNAL]);
  assert.ok(readFileSync(recording(dataDir)).equals(bytes));
});

test('when the database is lost at the commit, the end of a session is tried again with the recording that was moved', async (t) => {
  const dataDir = temporaryFolder(t);
  class LostAtCommit extends MemoryCatalogue {
    #puts = 0;

    override async put(entry: SessionEntry, alongside: () => void): Promise<void> {
      // The store puts an entry once more by itself.
      if (++this.#puts > 2) return super.put(entry, alongside);
      alongside();
      throw new Error('the connection was lost');
    }
  }
  const { sessions, time, catalogue, log } = followSessions(dataDir, { catalogue: new LostAtCommit() });
  t.after(() => sessions.close());
  const session = begun(sessions);
  const bytes = readFileSync(session.file);
  const ended = sessions.end(session);
  ended.catch(() => {});
  await until(() => failedTries(log) === 1);
  await time.pass(RECORD_RETRY_MS);
  assert.equal(failedTries(log), 1);
  await ended;
  assert.equal(catalogue.entries.size, 1);
  assert.ok(readFileSync(recording(dataDir)).equals(bytes));
  assert.deepEqual(left(dataDir), [JOURNAL]);
});

test('a mark without a recording is removed, and the start continues', (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, events } = followSessions(dataDir);
  writeFileSync(join(dataDir, 'live', `${ID}.over`), '');
  sessions.recover();
  assert.deepEqual([events, left(dataDir)], [[], []]);
});

test('a process recovers every session that the last one left, and appends to their recordings', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = followSessions(dataDir);
  for (const id of ['2025-a-race', '2025-b-race']) begun(first.sessions, id);
  await first.sessions.close();
  assert.deepEqual([...first.sessions.all()], []);
  const next = followSessions(dataDir);
  next.sessions.recover();
  assert.deepEqual(next.events, ['opened 2025-a-race', 'opened 2025-b-race']);
  const session = next.sessions.get('2025-b-race')!;
  session.take(at(9, 'TrackStatus', { Status: '5', Message: 'Red' }), 0);
  assert.equal(session.frames, raceUnderWay().length + 1);
  await next.sessions.end(session);
  assert.equal(next.catalogue.entries.get('2025-b-race')!.frameCount, raceUnderWay().length + 1);
});

test('one damaged recording affects no other session; its id is refused, and its file stays', (t) => {
  const dataDir = temporaryFolder(t);
  const first = followSessions(dataDir);
  for (const id of ['2025-a-race', '2025-b-race']) begun(first.sessions, id);
  const file = join(dataDir, 'live', '2025-a-race.frames');
  const bytes = readFileSync(file);
  bytes[bytes.indexOf('SessionStatus') + 20]! ^= 0xff;
  writeFileSync(file, bytes);
  const next = followSessions(dataDir);
  next.sessions.recover();
  assert.deepEqual(next.events, ['opened 2025-b-race']);
  assert.equal(next.log.errors.length, 1);
  assert.equal(next.sessions.begin({ sessionId: '2025-a-race', seriesId: 'f1', origin: 'test' }, START_MS), 'damaged');
  assert.ok(readFileSync(file).equals(bytes));
});

test('a file that a full disk left empty is removed, and its session begins', (t) => {
  const dataDir = temporaryFolder(t);
  const first = followSessions(dataDir);
  writeFileSync(join(dataDir, 'live', `${ID}.frames`), '');
  first.sessions.recover();
  assert.deepEqual([first.events, left(dataDir)], [[], []]);
  begun(first.sessions);
});

test('when a thread dies before its first frame is written, the next one begins in the memory that others read', (t) => {
  const dataDir = temporaryFolder(t);
  const first = followSessions(dataDir);
  const session = first.sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS);
  assert.ok(session instanceof LiveSession);
  const reader = new LiveTimeline(session.memory);
  const next = followSessions(dataDir, { knownMemory: first.memories });
  next.sessions.recover();
  begun(next.sessions);
  reader.refresh();
  assert.ok(reader.timeline.length > 0, 'the reader continues in the same memory');
});

test('the number of live sessions is bounded, and one that ends makes room', async (t) => {
  const dataDir = temporaryFolder(t);
  const ids = [...Array.from({ length: LIVE_SESSIONS_MAX }, (_, index) => `s-${index}`), 'one-more'];
  // Small memory: with the real size this process could hardly start another one, as a test below does.
  const knownMemory = new Map(ids.map((sessionId) => [sessionId, smallMemory(4_096, { sessionId, seriesId: 'f1' })]));
  const { sessions } = followSessions(dataDir, { knownMemory });
  const all = ids.slice(0, -1).map((sessionId) => {
    const session = sessions.begin({ sessionId, seriesId: 'f1', origin: 'test' }, START_MS);
    assert.ok(session instanceof LiveSession);
    return session;
  });
  assert.equal(sessions.begin({ sessionId: 'one-more', seriesId: 'f1', origin: 'test' }, START_MS), 'too_many');
  all[3]!.take(at(0, 'Heartbeat', {}), 0);
  await sessions.end(all[3]!);
  assert.ok(sessions.begin({ sessionId: 'one-more', seriesId: 'f1', origin: 'test' }, START_MS) instanceof LiveSession);
});

test('a session ends after hours of silence; one with messages continues', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, time, events } = followSessions(dataDir);
  begun(sessions, '2025-a-race');
  const active = begun(sessions, '2025-b-race');
  await time.pass(LIVE_ABANDONED_MS - 1);
  sessions.endAbandoned();
  assert.deepEqual(events.length, 2);
  active.take(at(10, 'Heartbeat', {}), time.nowMs());
  await time.pass(1);
  sessions.endAbandoned();
  await until(() => events.length === 3);
  assert.equal(events.at(-1), 'ended 2025-a-race');
  assert.equal(sessions.get('2025-b-race'), active);
});

test('a silent session whose end must wait is ended one try at a time, and what it waits for is said once', async (t) => {
  const { sessions, time, log } = followSessions(temporaryFolder(t));
  const session = begun(sessions, '2025-a-race');
  await time.pass(LIVE_ABANDONED_MS);
  let tries: PromiseWithResolvers<void>[] = [];
  const look = async (times: number) => {
    for (let n = 0; n < times; n++) {
      sessions.endAbandoned(() => {
        tries.push(Promise.withResolvers<void>());
        return tries.at(-1)!.promise;
      });
      await time.pass(1_000);
    }
  };
  const said = (text: RegExp) => log.lines.filter((line) => text.test(line)).length;
  await look(3);
  assert.equal(tries.length, 1);
  for (let n = 0; n < 3; n++) {
    tries.at(-1)!.reject(new Error('the database is away'));
    await time.pass(0);
    await look(1);
  }
  assert.equal(tries.length, 4);
  assert.deepEqual([said(/silent for hours; ending it/), said(/could not end/)], [1, 1]);
  tries.at(-1)!.resolve();
  await time.pass(0);
  assert.equal(said(/has ended after all/), 1);
  tries = [];
  session.take(at(10, 'Heartbeat', {}), time.nowMs());
  await look(1);
  assert.equal(tries.length, 0);
  await time.pass(LIVE_ABANDONED_MS);
  await look(1);
  assert.equal(said(/silent for hours; ending it/), 2, 'it was silent once more');
});

test('two calls to end a session end it once, and both wait for it', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions, events } = followSessions(dataDir);
  const session = begun(sessions);
  await Promise.all([sessions.end(session), sessions.end(session)]);
  await sessions.end(session);
  assert.deepEqual(events, [`opened ${ID}`, `ended ${ID}`]);
});

test('after close no session begins, because the next process may already write', async (t) => {
  const { sessions } = followSessions(temporaryFolder(t));
  begun(sessions, '2025-a-race');
  await sessions.close();
  assert.equal(sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS), 'closing');
});

test('a file that cannot be created is a RecordingError that names it', (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions } = followSessions(dataDir);
  const file = join(dataDir, 'live', `${ID}.frames`);
  // A foreign file of that name, which appeared after the start.
  writeFileSync(file, 'not ours');
  assert.throws(
    () => sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'test' }, START_MS),
    (error) => error instanceof RecordingError && error.message.includes(file),
  );
  assert.equal(readFileSync(file, 'utf8'), 'not ours');
});

/** How often adding a session to the catalogue failed. */
function failedTries(log: RecordedLog): number {
  return log.lines.filter((line) => line.startsWith('warn')).length;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}
