// Gaps of live sessions: who caused them, how long they were, and that each is recorded once.

import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LIVE_ABANDONED_MS, LIVE_GAP_MS } from '#engine/base/limits.ts';
import type { LiveGap } from '#engine/intake/live/live-gap.ts';
import { LiveGaps } from '#engine/intake/live/live-gaps.ts';
import { postgresLiveGapStore } from '#engine/intake/live/postgres-live-gap-store.ts';
import { at } from '#test/racing/scripted-session.ts';
import { withDatabase } from '#test/support/database.ts';
import { begun, followSessions, RecordedLog, TEST_RACE_ID } from '#test/support/live-sessions.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const frame = at(100, 'LapCount', { CurrentLap: 3 });
const { sql } = await withDatabase({ after });

/** A process that follows a session, and the gaps that it tells. */
function following(dataDir: string, time: SimulatedTime) {
  const gaps: LiveGap[] = [];
  const gap = (sessionId: string, told: LiveGap): void => {
    assert.equal(sessionId, TEST_RACE_ID);
    gaps.push(told);
  };
  return { ...followSessions(dataDir, { time, gap }), gaps };
}

test('V5: a source that is silent for more than a minute has a gap, from frame to frame', async (t) => {
  const time = new SimulatedTime();
  const { sessions, gaps } = following(temporaryFolder(t), time);
  const session = begun(sessions);
  await time.pass(LIVE_GAP_MS);
  session.take(frame, time.nowMs());
  assert.deepEqual(gaps, []);
  const beganMs = time.wallMs();
  await time.pass(LIVE_GAP_MS + 1);
  session.take(frame, time.nowMs());
  assert.deepEqual(gaps, [{ cause: 'source', beganMs, endedMs: beganMs + LIVE_GAP_MS + 1 }]);
  await sessions.close();
});

test('V5: while no process follows a session, the gap is ours: from its last frame until it is resumed', async (t) => {
  const dataDir = temporaryFolder(t);
  const time = new SimulatedTime();
  const first = following(dataDir, time);
  const session = begun(first.sessions);
  await first.sessions.close();
  const beganMs = time.wallMs();
  utimesSync(session.file, beganMs / 1_000, beganMs / 1_000);
  await time.pass(30_000);
  for (const downMs of [30_000, 45_000]) {
    // The second process hears nothing before it dies: its gap began at the same moment, and lasted longer.
    const { sessions, gaps } = following(dataDir, time);
    sessions.recover();
    assert.deepEqual(gaps, [{ cause: 'service', beganMs, endedMs: beganMs + downMs }]);
    await sessions.close();
    await time.pass(15_000);
  }
  await time.pass(LIVE_ABANDONED_MS);
  const late = following(dataDir, time);
  late.sessions.recover();
  assert.equal(late.gaps[0]!.endedMs - beganMs, LIVE_ABANDONED_MS, 'by then the session was over');
  await late.sessions.close();
});

test('V5: a session that was over when the service stopped missed nothing', async (t) => {
  const dataDir = temporaryFolder(t);
  const time = new SimulatedTime();
  const first = following(dataDir, time);
  const session = begun(first.sessions);
  await first.sessions.close();
  utimesSync(session.file, 1, 1);
  writeFileSync(join(dataDir, 'live', `${TEST_RACE_ID}.over`), '');
  const { sessions, gaps } = following(dataDir, time);
  sessions.recover();
  assert.deepEqual(gaps, []);
  await sessions.close();
});

test('gaps are recorded once, in order, and wait for the database', async () => {
  const time = new SimulatedTime();
  const log = new RecordedLog();
  const real = postgresLiveGapStore(sql);
  let failures = 2;
  const put: typeof real.put = async (sessionId, gap) => {
    if (failures-- > 0) throw new Error('the database is away');
    await real.put(sessionId, gap);
  };
  const gaps = new LiveGaps({ store: { put }, clock: time, log });
  const beganMs = Date.UTC(2026, 5, 1);
  for (const seconds of [5, 9, 9, 7]) gaps.add('a', { cause: 'service', beganMs, endedMs: beganMs + seconds * 1_000 });
  gaps.add('a', { cause: 'source', beganMs, endedMs: beganMs + 90_000 });
  const rows = () => sql<{ cause: string; seconds: number }[]>`
    select cause, extract(epoch from ended_at - began_at)::int as seconds from live_gap order by cause`;
  for (let tries = 0; (await rows()).length < 2 && tries < 500; tries++) await time.pass(1_000);
  assert.deepEqual(
    (await rows()).map(({ cause, seconds }) => [cause, seconds]),
    [
      ['service', 9],
      ['source', 90],
    ],
  );
  assert.deepEqual(log.errors, []);
});

test('a service that stops does not wait for the database to take a gap', async () => {
  const time = new SimulatedTime();
  const log = new RecordedLog();
  const put = async (): Promise<void> => {
    throw new Error('the database is away');
  };
  const gaps = new LiveGaps({ store: { put }, clock: time, log });
  gaps.add('a', { cause: 'service', beganMs: 0, endedMs: 1 });
  await time.pass(500);
  gaps.close();
  await time.pass(60_000);
  assert.deepEqual(log.errors, ['error could not record a gap of a live session: it is not counted']);
});
