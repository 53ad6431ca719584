// A live timeline with its one writer and its readers, on one thread and on two.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { LIVE_ROSTER_BYTES_MAX } from '#engine/base/limits.ts';
import { CONTROL } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { TimelineFull } from '#engine/timeline/live-timeline-writer.ts';
import { smallMemory, WrittenTimeline } from '#test/support/live-timelines.ts';
import type { SmallUpdate } from '#test/support/timelines.ts';
import { smallTimeline } from '#test/support/timelines.ts';
import { watchLiveTimeline } from '#workers/watch-live-timeline.ts';

const VER = { number: '1', tla: 'VER', team: 'Red Bull Racing' };
const HAM = { number: '44', tla: 'HAM', team: 'Mercedes' };
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test('a reader sees what was published at its last refresh, and nothing that was only appended', () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  live.append({}, {});
  reader.refresh();
  assert.equal(reader.timeline.length, 0);
  live.writer.publish(1_234);
  assert.equal(reader.timeline.length, 0, 'not before it looks');
  reader.refresh();
  assert.equal(reader.timeline.length, 2);
  assert.equal(reader.receivedMs(1), 1_234);
  live.publish(1, 2_000);
  assert.equal(reader.timeline.length, 2);
  const later = new LiveTimeline(live.memory);
  assert.equal(later.timeline.length, 3, 'a reader that comes later sees all at once');
  assert.equal(later.receivedMs(1), 1_234);
  assert.equal(later.receivedMs(2), 2_000);
});

test('I7: a live reader sees the updates of the finished timeline, column by column and byte by byte', () => {
  const updates: SmallUpdate[] = [
    { dueMs: 0, feed: 'session.info' },
    { dueMs: 10, touched: [{ number: '1', position: 1 }], roster: [VER] },
    {
      dueMs: 10,
      feed: 'events.race',
      eventType: 'overtake',
      touched: [{ number: '44', position: 2 }],
      roster: [VER, HAM],
    },
    { dueMs: 25, touched: [] },
  ];
  const finished = smallTimeline(updates);
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  for (const update of updates) {
    live.publish([update]);
    reader.refresh();
    const { timeline } = reader;
    for (let position = 0; position < timeline.length; position++) {
      assert.equal(text(timeline.body(position)), text(finished.body(position)));
      for (const name of ['dueMs', 'feed', 'eventType', 'driversLow', 'driversHigh', 'touchedStart'] as const) {
        assert.equal(timeline.columns[name][position], finished.columns[name][position], name);
      }
      assert.deepEqual(
        timeline.info.rosters[timeline.rosterIndexAt(position)]!.drivers,
        finished.info.rosters[finished.rosterIndexAt(position)]!.drivers,
      );
    }
  }
});

test('L3: a roster is published with the first update that needs it, and not before', () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  live.publish([{ roster: [VER] }]);
  reader.refresh();
  assert.deepEqual(reader.timeline.info.rosters.at(-1)!.drivers, [VER]);
  // Corrected twice before the next update: only the last correction counts, also for a writer that published in
  // between.
  live.writer.builder.roster([HAM]);
  live.writer.publish(0);
  live.writer.builder.roster([{ ...HAM, team: 'Ferrari' }]);
  live.publish([{}]);
  reader.refresh();
  const { timeline } = reader;
  assert.equal(timeline.info.rosters[timeline.rosterIndexAt(1)]!.drivers[1]!.team, 'Ferrari');
  assert.equal(timeline.info.rosters[timeline.rosterIndexAt(0)]!.drivers.length, 1);
});

test('L3: a restarted writer right behind a change of drivers publishes their last correction', () => {
  const first = new WrittenTimeline();
  first.publish([{ roster: [VER] }]);
  const again = new WrittenTimeline(first.memory);
  again.append({ roster: [VER] }, {});
  again.writer.builder.roster([VER, HAM]);
  // As a recovery does: everything at once, including the change at the end.
  again.writer.publish(0);
  again.writer.builder.roster([VER, { ...HAM, team: 'Ferrari' }]);
  again.publish([{}]);
  const { timeline } = new LiveTimeline(first.memory);
  assert.equal(timeline.info.rosters[timeline.rosterIndexAt(2)]!.drivers[1]!.team, 'Ferrari');
});

test('a reader that sees the seal also sees everything published before it', () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  live.publish(3);
  assert.equal(reader.sealed, false);
  live.seal();
  reader.refresh();
  assert.deepEqual([reader.sealed, reader.timeline.length], [true, 3]);
});

test('L1: a writer that restarts over published memory changes nothing and publishes only new updates', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 5 }),
      (published, appended, more) => {
        const first = new WrittenTimeline(smallMemory());
        const update = (index: number): SmallUpdate => ({
          dueMs: index,
          touched: [{ number: String(index % 7), position: 1 + (index % 7) }],
          roster: [{ ...VER, number: String(index % 7) }],
        });
        const all = Array.from({ length: published + appended + more }, (_, index) => update(index));
        first.publish(all.slice(0, published), 111);
        // Derived and recorded, but not published when the thread died.
        first.append(...all.slice(published, published + appended));
        const reader = new LiveTimeline(first.memory);
        const changes = Atomics.load(reader.control, CONTROL.changes);
        const before = Array.from({ length: published }, (_, position) => text(reader.timeline.body(position)));
        const again = new WrittenTimeline(first.memory);
        for (let index = 0; index < published; index++) {
          again.publish([all[index]!], 999);
          assert.equal(Atomics.load(reader.control, CONTROL.length), published, 'never less than before');
        }
        assert.equal(Atomics.load(reader.control, CONTROL.changes), changes, 'known updates wake no reader');
        again.publish(all.slice(published), 222);
        reader.refresh();
        assert.equal(reader.timeline.length, all.length);
        for (let position = 0; position < published; position++) {
          assert.equal(text(reader.timeline.body(position)), before[position]);
          assert.equal(reader.receivedMs(position), 111);
        }
        for (let position = published; position < all.length; position++)
          assert.equal(reader.receivedMs(position), 222);
        const fresh = new LiveTimeline(first.memory);
        assert.deepEqual(fresh.timeline.info.rosters, reader.timeline.info.rosters);
      },
    ),
    { numRuns: 25 },
  );
});

test('L2: endless changes of drivers end in TimelineFull, not in unbounded memory, and nothing is published by half', () => {
  const live = new WrittenTimeline({ ...smallMemory(), rosters: new SharedArrayBuffer(200) });
  live.publish([{ roster: [VER] }]);
  const publishMany = (): void => {
    for (let i = 0; i < 20; i++) live.publish([{ roster: [{ ...VER, team: `Team ${i}` }] }]);
  };
  assert.throws(publishMany, TimelineFull);
  const reader = new LiveTimeline(live.memory);
  const { length } = reader.timeline;
  assert.ok(length >= 2 && length < 20, `${length} shown`);
  assert.equal(reader.timeline.info.rosters.at(-1)!.drivers[0]!.team, `Team ${length - 2}`);
  assert.ok(LIVE_ROSTER_BYTES_MAX > 1_000 * 1_024, 'a thousand changes of sixty drivers fit');
});

test('a watcher is called after each change, on the same thread, and never again once it has stopped', async () => {
  const live = new WrittenTimeline();
  const reader = new LiveTimeline(live.memory);
  let calls = 0;
  const called = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const unwatch = watchLiveTimeline(reader, () => {
    calls++;
  });
  await called();
  assert.equal(calls, 0);
  live.publish(1);
  await called();
  assert.equal(calls, 1);
  live.publish(1);
  live.publish(1);
  await called();
  assert.ok(calls >= 2, 'several at once may be one call');
  unwatch();
  const before = calls;
  live.publish(1);
  await called();
  assert.equal(calls, before);
});

test('a watch that begins when the timeline is complete waits for nothing, which would keep its memory for ever', () => {
  const live = new WrittenTimeline();
  live.publish(1);
  const early = new LiveTimeline(live.memory);
  live.writer.seal();
  const waitAsync = mock.method(Atomics, 'waitAsync');
  for (const reader of [early, new LiveTimeline(live.memory)]) watchLiveTimeline(reader, () => {})();
  assert.equal(waitAsync.mock.callCount(), 0);
  waitAsync.mock.restore();
});

test('a reader on another thread, woken by the memory alone, sees every update complete and in order', {
  timeout: 30_000,
}, async () => {
  const live = new WrittenTimeline();
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
    import { watchLiveTimeline } from '#workers/watch-live-timeline.ts';
    const reader = new LiveTimeline(workerData);
    const keepAlive = setInterval(() => {}, 1_000);
    let next = 0;
    let wakes = 0;
    const look = () => {
      wakes++;
      reader.refresh();
      for (; next < reader.timeline.length; next++) {
        const body = JSON.parse(Buffer.from(reader.timeline.body(next)).toString());
        if (body.sequence !== next + 1) throw new Error('sequence ' + body.sequence + ' at ' + next);
        const { rosters } = reader.timeline.info;
        const known = rosters[reader.timeline.rosterIndexAt(next)].drivers;
        if (known[0].team !== 'Team ' + next) throw new Error('roster ' + known[0].team + ' at ' + next);
        if (reader.receivedMs(next) !== next) throw new Error('received ' + reader.receivedMs(next));
      }
      if (reader.sealed) {
        clearInterval(keepAlive);
        parentPort.postMessage({ next, wakes });
      }
    };
    watchLiveTimeline(reader, look);
    parentPort.postMessage('watching');
  `;
  const file = new URL(`data:text/javascript,${encodeURIComponent(resolved(code))}`);
  const worker = new Worker(file, { workerData: live.memory });
  const messages: unknown[] = [];
  const heard = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (message) => resolve(messages[messages.push(message) - 1]));
    });
  assert.equal(await heard(), 'watching');
  const ended = heard();
  const count = 2_000;
  for (let i = 0; i < count; i++) {
    live.publish([{ roster: [{ ...VER, team: `Team ${i}` }] }], i);
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  live.seal();
  const { next, wakes } = (await ended) as { next: number; wakes: number };
  assert.equal(next, count);
  assert.ok(wakes >= 1);
  await worker.terminate();
});

/** Modules of a data: URL cannot resolve package aliases, so these become file URLs. */
function resolved(code: string): string {
  return code.replace(/'#([^']+)'/g, (_, path: string) => `'${new URL(`../../${path}`, import.meta.url).href}'`);
}
