import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveRun } from '#engine/delivery/run/live-run.ts';
import { PacedRun } from '#engine/delivery/run/paced-run.ts';
import type { Run } from '#engine/delivery/run/run.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { RunAgenda } from '#engine/delivery/shard/run-agenda.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

interface Entry {
  readonly run: Run;
  readonly live: LiveTimeline | null;
  /** How often it was asked. */
  asked: number;
}

function orderOf(mode: RunOrder['mode'], pacedFromMs = 0): RunOrder {
  return {
    mode,
    runId: 'run_1',
    runNo: 1,
    sessionId: 'small-race',
    accountId: 'acc_1',
    speed: 1,
    pacedFromMs,
    allFeeds: false,
    allowance: allowanceCell(),
  };
}

function entryOf(run: Run, live: LiveTimeline | null): Entry {
  const entry: Entry = { run, live, asked: 0 };
  const advance: Run['advance'] = run.advance.bind(run);
  run.advance = (nowMs: number) => {
    entry.asked++;
    return advance(nowMs);
  };
  return entry;
}

/** A replay of three updates, one each second. */
const replayFrom = (startMs: number): Entry =>
  entryOf(new PacedRun(orderOf('replay', startMs), steadyTimeline(3, 1_000)), null);

function liveSession() {
  const written = new WrittenTimeline();
  const live = new LiveTimeline(written.memory);
  return { written, live, follower: () => entryOf(new LiveRun(orderOf('live'), live), live) };
}

function agendaOf(entries: readonly Entry[]) {
  const agenda = new RunAgenda<Entry>();
  for (const entry of entries) agenda.add(entry, entry.live);
  /** Those for which something fell due. */
  const advance = (nowMs: number): Entry[] => {
    const due: Entry[] = [];
    agenda.advance(nowMs, (entry) => due.push(entry));
    return due;
  };
  const asked = (): number[] => entries.map((entry) => entry.asked);
  return { agenda, advance, asked };
}

test('a replay that is handed over to be stopped ends behind what was due before, however late it is', () => {
  const run = new PacedRun({ ...orderOf('replay', 0), end: 2 }, steadyTimeline(5, 1_000));
  run.advance(60_000);
  assert.deepEqual([run.due, run.end, run.nextDueMs()], [2, 2, Number.POSITIVE_INFINITY]);
});

test('RA1: a replay is asked once when it comes, and then when an update of it is due', () => {
  const [early, late] = [replayFrom(1_000), replayFrom(5_000)];
  const { agenda, advance, asked } = agendaOf([early, late]);
  assert.ok(agenda.nextDueMs() <= 0, 'they are new');
  assert.deepEqual(advance(0), []);
  assert.equal(agenda.nextDueMs(), 1_000);
  for (let nowMs = 1; nowMs < 1_000; nowMs += 100) assert.deepEqual(advance(nowMs), []);
  assert.deepEqual(asked(), [1, 1]);
  assert.deepEqual(advance(2_500), [early]);
  assert.equal(early.run.due, 2);
  assert.deepEqual(advance(9_000), [early, late], 'in the order of their times');
  assert.deepEqual([early.run.due, late.run.due], [3, 3]);
  assert.equal(agenda.nextDueMs(), Number.POSITIVE_INFINITY);
  assert.deepEqual(asked(), [3, 2]);
});

test('RA1: runs that follow a live timeline are asked when it has changed, each once for all changes', () => {
  const { written, live, follower } = liveSession();
  const followers = [follower(), follower()];
  const { agenda, advance, asked } = agendaOf([...followers, replayFrom(60_000)]);
  assert.deepEqual(advance(0), []);
  const before = asked();
  for (let i = 0; i < 10; i++) assert.deepEqual(advance(i), []);
  assert.deepEqual(asked(), before);
  written.publish(2);
  written.publish(1);
  assert.deepEqual(advance(10), followers);
  assert.deepEqual(
    followers.map(({ run }) => run.due),
    [3, 3],
  );
  assert.deepEqual(advance(11), []);
  written.seal();
  assert.deepEqual(advance(12), followers, 'its end is known');
  assert.equal(live.sealed, true);
  assert.deepEqual(asked(), [before[0]! + 2, before[1]! + 2, before[2]]);
  assert.equal(agenda.nextDueMs(), 60_000);
});

test('RA1: a run that comes while a live timeline stands still is asked for what it has', () => {
  const { written, follower } = liveSession();
  const first = follower();
  const { agenda, advance } = agendaOf([first]);
  written.publish(2);
  assert.deepEqual(advance(0), [first]);
  const second = follower();
  agenda.add(second, second.live);
  assert.deepEqual(advance(1), [second]);
});

test('a run that was removed is never asked again, and the last follower of a live timeline is known', () => {
  const { written, follower } = liveSession();
  const [first, second, replay] = [follower(), follower(), replayFrom(1_000)];
  const { agenda, advance, asked } = agendaOf([first, second, replay]);
  advance(0);
  const before = asked();
  assert.equal(agenda.remove(first, first.live), true);
  assert.equal(agenda.remove(second, second.live), false);
  assert.equal(agenda.remove(replay, null), false);
  written.publish(1);
  assert.deepEqual(advance(5_000), []);
  assert.deepEqual(asked(), before);
  assert.equal(agenda.nextDueMs(), Number.POSITIVE_INFINITY);
});

test('a run may be removed when its last update falls due', () => {
  const entries = [replayFrom(0), replayFrom(0)];
  const { agenda } = agendaOf(entries);
  const due: Entry[] = [];
  agenda.advance(10_000, (entry) => {
    due.push(entry);
    for (const other of entries) agenda.remove(other, null);
  });
  assert.deepEqual(due, [entries[0]]);
});
