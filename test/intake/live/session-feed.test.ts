import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { FRAMES_WAITING_BYTES_MAX } from '#engine/base/limits.ts';
import { FramesRefused } from '#engine/intake/live/frame-log.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import type { FramesRow } from '#engine/intake/live/postgres-frame-rows.ts';
import { SessionFeed, type SessionFeedParts } from '#engine/intake/live/session-feed.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { followSessions, TEST_RACE_ID } from '#test/support/live-sessions.ts';

const LAP = { topic: 'LapCount', utcMs: 0, json: '{"CurrentLap":1}' };

/** A feed over a log that the test answers for. */
function setUp(given: Pick<SessionFeedParts, 'append'> & Partial<SessionFeedParts>) {
  const { sessions, log } = followSessions(temporaryDataDir());
  const session = sessions.begin({ sessionId: TEST_RACE_ID, seriesId: 'f1', origin: 'test' }, 0);
  assert.ok(session instanceof LiveSession);
  const feed = new SessionFeed({
    session,
    has: async () => false,
    clock: { ...systemClock, sleep: async () => {} },
    closing: new AbortController().signal,
    log,
    failed: (error) => assert.fail(error),
    ...given,
  });
  return { feed, session };
}

test('SF1, SF2: nothing is published before the log has it; what is offered during an append goes into the next one', async () => {
  const answers: ((kept: boolean) => void)[] = [];
  const rows: FramesRow[] = [];
  const { feed, session } = setUp({
    append(row) {
      rows.push(row);
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  for (let i = 0; i < 5; i++) feed.offer(LAP, 0);
  assert.deepEqual([session.frames, feed.offered, rows.length], [0, 5, 1]);
  answers[0]!(true);
  while (rows.length < 2) await new Promise(setImmediate);
  assert.equal(session.frames, 1);
  answers[1]!(true);
  await feed.settled();
  assert.equal(session.frames, 5);
  assert.deepEqual(
    rows.map(({ firstFrame, frames }) => [firstFrame, frames]),
    [
      [1, 1],
      [2, 4],
    ],
  );
});

test('SF3: an append whose answer was lost counts if the log has it, and is refused if the log has something else', async () => {
  for (const isThere of [true, false]) {
    let tries = 0;
    const { feed, session } = setUp({
      async append() {
        tries++;
        if (tries === 1) throw new Error('the connection was lost');
        return false;
      },
      has: async () => isThere,
    });
    feed.offer(LAP, 0);
    if (isThere) await feed.settled();
    else await assert.rejects(feed.settled(), FramesRefused);
    assert.equal(session.frames, isThere ? 1 : 0);
    assert.equal(feed.offered, isThere ? 1 : 0);
  }
});

test('I2: whoever offers faster than the log takes must wait, and is refused if it does not', () => {
  const { feed } = setUp({ append: () => new Promise(() => {}) });
  const large = { ...LAP, json: JSON.stringify({ text: 'x'.repeat(FRAMES_WAITING_BYTES_MAX / 4) }) };
  const waits = Array.from({ length: 4 }, () => feed.offer(large, 0) !== null);
  assert.deepEqual(waits, [false, false, false, true]);
  assert.throws(() => {
    for (let i = 0; i < 8; i++) feed.offer(large, 0);
  }, FramesRefused);
});
