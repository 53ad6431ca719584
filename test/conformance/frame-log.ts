// The tests that every frame log must pass. Each implementation's test file runs them.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { FrameLog } from '#engine/intake/live/frame-log.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import type { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import type { RecordingStore } from '#engine/intake/recording/recording-store.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { raceUnderWay, START_MS } from '#test/racing/scripted-session.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { followSessions } from '#test/support/live-sessions.ts';

export interface FrameLogHarness {
  readonly log: FrameLog;
  readonly sessions: LiveSessions;
  readonly recordings: RecordingStore;
  /** `opened ID` and `ended ID`, in order of the calls. */
  readonly events: readonly string[];
  /** The process ends and starts again. */
  restart(): Promise<FrameLogHarness>;
}

const FRAMES: readonly Frame[] = [...raceUnderWay()];
const HALF = FRAMES.length >> 1;
let ids = 0;

/** The id of a session that no other test has. */
export function newLiveSession(): string {
  ids++;
  return `2025-live-${ids}`;
}

export function headOf(sessionId: string) {
  return { sessionId, seriesId: 'f1', origin: 'test' };
}

export async function begun({ log }: Pick<FrameLogHarness, 'log'>, sessionId: string): Promise<LiveSession> {
  const session = await log.begin(headOf(sessionId), START_MS);
  assert.ok(session instanceof LiveSession, String(session));
  return session;
}

export async function offerAll(log: FrameLog, session: LiveSession, frames: Iterable<Frame> = FRAMES): Promise<void> {
  for (const frame of frames) await log.offer(session, frame, 0);
  await log.settled(session);
}

export function bodiesOf({ memory }: LiveSession): string[] {
  const { timeline } = new LiveTimeline(memory);
  return Array.from({ length: timeline.length }, (_, position) => Buffer.from(timeline.body(position)).toString());
}

/** What a session alone makes of the frames. */
export function expectedBodies(sessionId: string, frames: Iterable<Frame> = FRAMES): string[] {
  const { sessions } = followSessions(temporaryDataDir());
  const session = sessions.begin(headOf(sessionId), START_MS);
  assert.ok(session instanceof LiveSession);
  for (const frame of frames) session.take(frame, 0);
  return bodiesOf(session);
}

export function frameLogConformance(name: string, open: (t: TestContext) => Promise<FrameLogHarness>): void {
  describe(name, () => {
    test('frames that were offered are published once they are kept, each once and in order', async (t) => {
      const { log, sessions, events } = await open(t);
      const sessionId = newLiveSession();
      assert.equal(await log.claim(sessionId), 'unknown');
      const session = await begun({ log }, sessionId);
      for (const [index, frame] of FRAMES.entries()) {
        log.offer(session, frame, 0);
        assert.equal(log.offered(session), index + 1);
      }
      await log.settled(session);
      assert.equal(session.frames, FRAMES.length);
      assert.equal(sessions.get(sessionId), session);
      assert.deepEqual(bodiesOf(session), expectedBodies(sessionId));
      assert.deepEqual(events, [`opened ${sessionId}`]);
    });

    test('a time that goes back is that of the frame before, whatever waits to be kept', async (t) => {
      const { log } = await open(t);
      const session = await begun({ log }, newLiveSession());
      const frame = { topic: 'LapCount', json: '{"CurrentLap":1}' };
      for (const utcMs of [START_MS + 5, START_MS + 3, null]) log.offer(session, { ...frame, utcMs }, 0);
      await log.settled(session);
      assert.equal(session.lastUtcMs, START_MS + 5);
    });

    test('after a restart the session goes on with the next frame', async (t) => {
      const first = await open(t);
      const sessionId = newLiveSession();
      await offerAll(first.log, await begun(first, sessionId), FRAMES.slice(0, HALF));
      const { log, sessions } = await first.restart();
      assert.equal(await log.claim(sessionId), 'claimed');
      const session = sessions.get(sessionId)!;
      assert.equal(log.offered(session), HALF);
      await offerAll(log, session, FRAMES.slice(HALF));
      assert.deepEqual(bodiesOf(session), expectedBodies(sessionId));
    });

    test('a session that has ended can be replayed with all its frames, and is not begun again', async (t) => {
      const { log, sessions, recordings, events } = await open(t);
      const sessionId = newLiveSession();
      const session = await begun({ log }, sessionId);
      await offerAll(log, session);
      assert.equal(await log.end(session), 'ended');
      assert.equal(sessions.get(sessionId), null);
      assert.deepEqual(events, [`opened ${sessionId}`, `ended ${sessionId}`]);
      const reader = RecordingReader.open(await recordings.fetch(parseSessionId(sessionId)!));
      assert.deepEqual(
        [...reader.frames()].map(({ topic, json }) => [topic, json]),
        FRAMES.map(({ topic, json }) => [topic, json]),
      );
      reader.close();
      assert.equal(await log.claim(sessionId), 'unknown');
      assert.equal(await log.begin(headOf(sessionId), START_MS), 'over');
    });

    test('a session that has no frame yet can be ended', async (t) => {
      const { log, sessions } = await open(t);
      const session = await begun({ log }, newLiveSession());
      assert.equal(await log.end(session), 'ended');
      assert.equal(sessions.get(session.head.sessionId), null);
    });
  });
}
