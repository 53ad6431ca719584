// The follower of live timing: when a session begins, when it ends, and what a gap does to it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isContainer, type Json, type JsonObject } from '#engine/base/json-value.ts';
import { LIVE_ABANDONED_MS } from '#engine/base/limits.ts';
import {
  F1LiveFollower,
  LIVE_ENDS_LINGER_MS,
  LIVE_FINALISED_LINGER_MS,
  LIVE_REFRESH_MS,
} from '#engine/intake/live/f1-live-follower.ts';
import { type FrameLog, LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import type { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import type { LiveListener, LiveMessage, LiveSource } from '#engine/intake/source/live-source.ts';
import { merge } from '#engine/racing/session/merge.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { recorded, sessionPath } from '#test/racing/real-sessions.ts';
import { DRIVERS } from '#test/racing/scripted-session.ts';
import { joinedAfter } from '#test/support/golden-recordings.ts';
import { followSessions } from '#test/support/live-sessions.ts';
import { readSignalrRecording } from '#test/support/signalr-recording.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const UTC = '2025-05-04T20:00:00Z';

/** A live source that the test drives. */
class ScriptedSource implements LiveSource {
  listener: LiveListener | null = null;
  refreshes = 0;

  start(listener: LiveListener): void {
    this.listener = listener;
  }

  refresh(): void {
    this.refreshes++;
  }

  async close(): Promise<void> {}
}

function sessionInfo(name: string, Type = 'Race', Name = 'Race'): JsonObject {
  return {
    Meeting: { Key: 1, Name: `${name} Grand Prix`, Location: name, Circuit: { Key: 1, ShortName: name } },
    Key: 1,
    Type,
    Name,
    StartDate: '2025-05-04T16:00:00',
    EndDate: '2025-05-04T18:00:00',
    GmtOffset: '-04:00:00',
    ArchiveStatus: { Status: 'Generating' },
  };
}

function state(name: string, status = 'Started', more: JsonObject = {}): LiveMessage[] {
  const topics = {
    SessionInfo: sessionInfo(name),
    SessionStatus: { Status: status },
    Heartbeat: { Utc: UTC },
    ...more,
  };
  return messagesOf(topics as JsonObject);
}

/** A snapshot as the source sends it: each object marked as complete. */
function messagesOf(topics: JsonObject): LiveMessage[] {
  return Object.entries(topics).map(([topic, value]) => {
    const whole = isContainer(value as Json) && !Array.isArray(value) ? { ...(value as JsonObject), _kf: true } : value;
    return { topic, json: JSON.stringify(whole), utcMs: null };
  });
}

const message = (topic: string, data: Json, utc = '2025-05-04T20:00:10Z'): LiveMessage => ({
  topic,
  json: JSON.stringify(data),
  utcMs: Date.parse(utc),
});

function setUp(
  t: TestContext,
  dataDir = temporaryFolder(t),
  recovers = false,
  framesOf = (sessions: LiveSessions): FrameLog => new LocalFrameLog(sessions),
) {
  const followed = followSessions(dataDir);
  const { sessions, time, log } = followed;
  if (recovers) sessions.recover();
  const source = new ScriptedSource();
  const failures: Error[] = [];
  const origin = 'http://live.example';
  const frames = framesOf(sessions);
  const failed = (error: Error) => failures.push(error);
  const follower = new F1LiveFollower({ source, sessions, frames, origin, clock: time, log, failed });
  follower.start(sessions.all());
  const listener = source.listener!;
  return {
    ...followed,
    dataDir,
    source,
    follower,
    failures,
    snapshot: (topics: readonly LiveMessage[]) => listener.snapshot(topics, time.nowMs()),
    message: (...content: Parameters<typeof message>) => listener.message(message(...content), time.nowMs()),
    lost: () => listener.lost('gone'),
    /** Lets time pass and ticks the follower every second, as its thread does. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        await time.pass(Math.min(left, 1_000));
        sessions.endAbandoned();
        follower.tick();
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

const MIAMI = '2025-miami-race';
const IMOLA = '2025-imola-race';

test('F1: a snapshot that describes a session begins it; later messages belong to it', async (t) => {
  const live = setUp(t);
  assert.equal(live.follower.connected, false);
  live.snapshot(state('Miami', 'Inactive'));
  assert.equal(live.follower.connected, true);
  assert.deepEqual(live.events, [`opened ${MIAMI}`]);
  const session = live.sessions.get(MIAMI)!;
  assert.equal(session.phase, 'upcoming');
  assert.equal(session.memory.startUtcMs, Date.parse(UTC), "the upstream's own clock");
  live.message('SessionStatus', { Status: 'Started' });
  assert.equal(session.phase, 'live');
  assert.equal(session.frames, 4);
});

test('F1: a snapshot that calls its session over begins none', (t) => {
  for (const status of ['Finalised', 'Ends']) {
    const live = setUp(t);
    live.snapshot(state('Miami', status));
    assert.deepEqual(live.events, []);
  }
  const archived = setUp(t);
  const info = { ...sessionInfo('Miami'), ArchiveStatus: { Status: 'Complete' } };
  archived.snapshot(state('Miami', 'Started', { SessionInfo: info }));
  assert.deepEqual(archived.events, []);
});

test('F2: without a session, messages request a snapshot at most every few seconds, and no request is lost', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami', 'Ends'));
  live.message('Heartbeat', { Utc: UTC });
  assert.equal(live.source.refreshes, 0);
  live.message('SessionInfo', { Key: 2 });
  live.message('SessionStatus', { Status: 'Inactive' });
  assert.equal(live.source.refreshes, 1);
  live.snapshot(state('Miami', 'Ends'));
  live.message('SessionInfo', sessionInfo('Imola'));
  assert.equal(live.source.refreshes, 1, 'too soon after the last request');
  await live.pass(LIVE_REFRESH_MS);
  assert.equal(live.source.refreshes, 2, 'requested as soon as allowed');
  live.snapshot(state('Imola', 'Inactive'));
  assert.deepEqual(live.events, [`opened ${IMOLA}`]);
  await live.pass(10 * LIVE_REFRESH_MS);
  assert.equal(live.source.refreshes, 2, 'a snapshot that arrived is not requested again');
});

test('F1: when the upstream switches to another session, the old one ends and the new one begins', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  const { frames } = live.sessions.get(MIAMI)!;
  live.message('SessionInfo', sessionInfo('Imola'));
  assert.equal(
    live.sessions.get(MIAMI)!.frames,
    frames,
    'a message about the new session does not belong to the old one',
  );
  assert.equal(live.source.refreshes, 1);
  live.snapshot(state('Imola', 'Inactive'));
  await live.pass(1_000);
  assert.deepEqual(live.events, [`opened ${MIAMI}`, `opened ${IMOLA}`, `ended ${MIAMI}`]);
  assert.deepEqual([...live.catalogue.entries.keys()], [MIAMI]);
});

test('F1: an earlier, ended session from a server that lags behind neither ends the current session nor adds to it', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  const { frames } = live.sessions.get(MIAMI)!;
  const earlier = state('Imola', 'Finalised', {
    SessionInfo: { ...sessionInfo('Imola'), StartDate: '2025-05-03T16:00:00' },
  });
  live.lost();
  live.snapshot(earlier);
  live.message('WeatherData', { AirTemp: '20.0' });
  live.snapshot(earlier);
  await live.pass(LIVE_REFRESH_MS);
  assert.ok(live.source.refreshes > 0, 'a new snapshot is requested');
  assert.deepEqual(live.events, [`opened ${MIAMI}`]);
  assert.equal(live.sessions.get(MIAMI)!.frames, frames);
  assert.equal(live.log.lines.filter((line) => line.includes('reports an earlier session')).length, 1);
  live.snapshot(state('Miami'));
  live.message('WeatherData', { AirTemp: '21.0' });
  assert.ok(live.sessions.get(MIAMI)!.frames > frames);
});

test('a SessionInfo that is incomplete or names the same session is an ordinary message', (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  const { frames } = live.sessions.get(MIAMI)!;
  live.message('SessionInfo', { ArchiveStatus: { Status: 'Complete' } });
  live.message('SessionInfo', sessionInfo('Miami'));
  assert.equal(live.sessions.get(MIAMI)!.frames, frames + 2);
  assert.equal(live.source.refreshes, 0);
});

test('F1: an ended session lingers a minute, a finalised one 15 minutes, and a restarted one continues', async (t) => {
  for (const [status, lingerMs] of [
    ['Ends', LIVE_ENDS_LINGER_MS],
    ['Finalised', LIVE_FINALISED_LINGER_MS],
  ] as const) {
    const live = setUp(t);
    live.snapshot(state('Miami'));
    live.message('SessionStatus', { Status: status });
    await live.pass(lingerMs - 2_000);
    live.message('TrackStatus', { Status: '1' });
    assert.deepEqual(live.events, [`opened ${MIAMI}`], 'a late correction is still recorded');
    await live.pass(5_000);
    assert.deepEqual(live.events, [`opened ${MIAMI}`, `ended ${MIAMI}`], status);
    live.snapshot(state('Miami', status));
    assert.equal(live.events.length, 2, 'the session does not begin again');
  }
  const live = setUp(t);
  live.snapshot(state('Miami'));
  live.message('SessionStatus', { Status: 'Finalised' });
  await live.pass(LIVE_FINALISED_LINGER_MS - 5_000);
  live.message('SessionStatus', { Status: 'Started' });
  await live.pass(2 * LIVE_FINALISED_LINGER_MS);
  assert.deepEqual(live.events, [`opened ${MIAMI}`]);
});

test('F1: a session ends after hours of silence, and its later messages begin no second one', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  live.lost();
  await live.time.pass(LIVE_ABANDONED_MS);
  await live.pass(1_000);
  assert.deepEqual(live.events, [`opened ${MIAMI}`, `ended ${MIAMI}`]);
  const { frameCount } = live.catalogue.entries.get(MIAMI)!;
  live.message('TrackStatus', { Status: '1' });
  live.snapshot(state('Miami'));
  await live.pass(20_000);
  assert.equal(live.events.length, 2, 'its recording is not overwritten');
  assert.equal(live.catalogue.entries.get(MIAMI)!.frameCount, frameCount);
  assert.equal(live.source.refreshes, 0, 'no snapshot is requested');
  assert.deepEqual(live.failures, []);
});

test('a snapshot that does not name its session changes nothing', (t) => {
  const live = setUp(t);
  live.snapshot([message('Heartbeat', { Utc: UTC })]);
  live.snapshot([message('SessionInfo', { Key: 9 })]);
  assert.deepEqual([live.events, live.failures], [[], []]);
  live.snapshot(state('Miami'));
  live.snapshot([message('Heartbeat', { Utc: UTC })]);
  assert.ok(live.sessions.get(MIAMI));
});

test('a session that an operator already feeds under the same id is left alone', (t) => {
  const live = setUp(t);
  const fed = live.sessions.begin({ sessionId: MIAMI, seriesId: 'f1', origin: 'ingest' }, 0);
  assert.ok(fed instanceof LiveSession);
  live.snapshot(state('Miami'));
  live.message('TrackStatus', { Status: '1' });
  assert.equal(fed.frames, 0);
  assert.equal(live.log.errors.length, 1);
});

test('a session that began although no answer said so is followed from the next snapshot on', async (t) => {
  const losesAnswer = (sessions: LiveSessions): FrameLog => {
    const frames = new LocalFrameLog(sessions);
    const begin = async (...session: Parameters<FrameLog['begin']>): Promise<never> => {
      LocalFrameLog.prototype.begin.apply(frames, session);
      throw new Error('the connection was lost');
    };
    return Object.assign(frames as FrameLog, { begin });
  };
  const { sessions, snapshot, message, pass, source, log } = setUp(t, temporaryFolder(t), false, losesAnswer);
  snapshot(state('Miami'));
  await pass(LIVE_REFRESH_MS);
  assert.equal(source.refreshes, 1);
  snapshot(state('Miami'));
  await pass(1_000);
  assert.equal(sessions.get('2025-miami-race')!.frames, 3);
  message('LapCount', { CurrentLap: 2, TotalLaps: 57 });
  assert.equal(sessions.get('2025-miami-race')!.frames, 4);
  assert.deepEqual(log.errors, []);
});

test('a recovered session resumes when the upstream still sends it, and ends when the upstream sends another one', async (t) => {
  const first = setUp(t);
  first.snapshot(state('Miami'));
  await first.sessions.close();
  const same = setUp(t, first.dataDir, true);
  same.message('TrackStatus', { Status: '1' });
  same.snapshot(state('Miami'));
  assert.deepEqual(same.events, [`opened ${MIAMI}`]);
  await same.sessions.close();
  const other = setUp(t, first.dataDir, true);
  other.snapshot(state('Imola'));
  await other.pass(1_000);
  assert.deepEqual(other.events, [`opened ${MIAMI}`, `opened ${IMOLA}`, `ended ${MIAMI}`]);
});

test('of several recovered sessions only the latest resumes, whatever their names; the others end', async (t) => {
  const first = setUp(t);
  first.snapshot(state('Monza', 'Started', { Heartbeat: { Utc: '2025-05-04T19:00:00Z' } }));
  first.catalogue.away = true;
  first.snapshot(state('Imola', 'Started'));
  await first.sessions.close();
  // As if the process died before it marked the first one as over.
  const { rmSync } = await import('node:fs');
  rmSync(`${first.dataDir}/live/2025-monza-race.over`, { force: true });
  const next = setUp(t, first.dataDir, true);
  next.snapshot(state('Imola', 'Started', { TrackStatus: { Status: '2', Message: 'Yellow' } }));
  next.message('TrackStatus', { Status: '1', Message: 'AllClear' });
  await next.pass(1_000);
  assert.deepEqual(next.events.slice(2), ['ended 2025-monza-race']);
  const session = next.sessions.get(IMOLA)!;
  assert.equal(session.frames, 3 + 4 + 1, 'the current session is followed');
});

test('F3: an equal snapshot after a gap adds no update, a different one adds only the differences', (t) => {
  const live = setUp(t);
  const track = { TrackStatus: { Status: '1', Message: 'AllClear' } };
  const cars = { DriverList: DRIVERS as unknown as JsonObject, LapCount: { CurrentLap: 3, TotalLaps: 50 } };
  const whole = state('Miami', 'Started', { ...track, ...cars });
  live.snapshot(whole);
  const session = live.sessions.get(MIAMI)!;
  const { updates } = session;
  assert.ok(updates > 3);
  for (let i = 0; i < 3; i++) {
    live.lost();
    live.snapshot(whole);
  }
  assert.equal(session.updates, updates);
  live.lost();
  live.snapshot(state('Miami', 'Started', { ...cars, TrackStatus: { Status: '5', Message: 'Red' } }));
  const { timeline } = new LiveTimeline(session.memory);
  const added = Array.from({ length: session.updates - updates }, (_, index) => timeline.feedId(updates + index));
  assert.ok(added.length >= 1 && added.every((feed) => ['track.status', 'events.race'].includes(feed)), added.join());
});

test('V2: a heartbeat that is ahead of time after a gap does not shift the times of later messages', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  const session = live.sessions.get(MIAMI)!;
  live.lost();
  await live.pass(30_000);
  live.snapshot(state('Miami', 'Started', { Heartbeat: { Utc: '2025-05-04T20:10:00Z' } }));
  assert.equal(session.lastUtcMs, Date.parse(UTC) + 30_000);
  live.message('TrackStatus', { Status: '2', Message: 'Yellow' }, '2025-05-04T20:00:40Z');
  assert.equal(session.lastUtcMs, Date.parse('2025-05-04T20:00:40Z'));
});

const RECORDINGS = [
  { name: RACE.sessionId, recording: () => joinedAfter(60, RACE) },
  ...recorded('2026-austria-qualifying').map(({ sessionId: name }) => {
    return { name, recording: () => readSignalrRecording(sessionPath(name)) };
  }),
];

for (const { name, recording } of RECORDINGS) {
  test(`F3: a gap anywhere in a session invents nothing: ${name}`, (t) => {
    const { initial, frames } = recording();
    const live = setUp(t);
    const whole: Record<string, Json | undefined> = {};
    const note = (topic: string, value: Json): void => {
      whole[topic] = topic.endsWith('.z') ? value : merge(whole[topic], structuredClone(value)).state;
    };
    for (const [topic, value] of Object.entries(initial)) note(topic, value!);
    live.snapshot(messagesOf(whole as JsonObject));
    const [session] = live.sessions.all();
    assert.ok(session);
    frames.slice(0, 3_000).forEach((frame, index) => {
      note(frame.topic, JSON.parse(frame.json) as Json);
      live.source.listener!.message(frame, 0);
      if (index % 500 !== 499) return;
      const { updates } = session;
      live.lost();
      live.snapshot(messagesOf(whole as JsonObject));
      const { timeline } = new LiveTimeline(session.memory);
      const invented = Array.from({ length: session.updates - updates }, (_, at) =>
        Buffer.from(timeline.body(updates + at)).toString(),
      );
      assert.deepEqual(invented, [], `after message ${index}`);
    });
    assert.deepEqual(live.failures, []);
  });
}

test('V2: a heartbeat that an earlier session has left does not date the beginning of the next one', (t) => {
  const live = setUp(t);
  live.time.stepWall(Date.parse('2025-05-04T19:03:00Z') - live.time.wallMs());
  // Of two weeks before: the server has a heartbeat of the new session only 15 s after its first message.
  live.snapshot(state('Miami', 'Inactive', { Heartbeat: { Utc: '2025-04-20T18:40:00Z' } }));
  const { memory } = live.sessions.get('2025-miami-race')!;
  assert.equal(memory.startUtcMs, Date.parse('2025-05-04T19:03:00Z'));
  live.message('LapCount', { CurrentLap: 1, TotalLaps: 57 }, '2025-05-04T20:03:00Z');
  assert.equal(live.sessions.get('2025-miami-race')!.lastUtcMs, Date.parse('2025-05-04T20:03:00Z'));
});

test('V2: with a machine whose clock is wrong, the heartbeat dates the beginning of a session', (t) => {
  for (const wall of ['2024-05-04T19:03:00Z', '2025-05-05T19:03:00Z', '2025-05-04T19:13:00Z']) {
    const live = setUp(t);
    live.time.stepWall(Date.parse(wall) - live.time.wallMs());
    live.snapshot(state('Miami', 'Inactive', { Heartbeat: { Utc: '2025-05-04T19:03:00Z' } }));
    assert.equal(live.sessions.get('2025-miami-race')!.memory.startUtcMs, Date.parse('2025-05-04T19:03:00Z'), wall);
  }
});

test('messages that are too large for the recording are logged once, and the session continues', (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  const { frames } = live.sessions.get(MIAMI)!;
  for (let i = 0; i < 3; i++) live.message('TrackStatus', { Status: 'x'.repeat(5 * 1024 * 1024) });
  live.message('TrackStatus', { Status: '1' });
  assert.deepEqual(live.failures, [], 'a restart would not help');
  assert.equal(live.log.errors.length, 1);
  assert.equal(live.sessions.get(MIAMI)!.frames, frames + 1);
});

test('a failure to record is reported to the owner of the follower', async (t) => {
  const live = setUp(t);
  live.snapshot(state('Miami'));
  // Closing its file stands in for a defect.
  await live.sessions.get(MIAMI)!.close();
  live.message('TrackStatus', { Status: '1' });
  assert.equal(live.failures.length, 1);
});
