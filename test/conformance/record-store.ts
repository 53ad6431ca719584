// The tests that every record store must pass. Each implementation's test file runs them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RECORD_BATCH_ATTEMPTS, RESPONSE_KEPT_BYTES_MAX } from '#engine/base/limits.ts';
import { failed, TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import type { SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import {
  type AttemptRecord,
  type Checkpoint,
  type RecordBatch,
  type RecordStore,
  type Writer,
  WriterSuperseded,
} from '#engine/delivery/delivery-log/record-store.ts';
import type { WriterStore } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import type { DueDelta } from '#engine/delivery/usage/due-outcome.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { type LogRow, logRow } from '#test/support/log-row.ts';

export interface RecordStoreHarness {
  readonly store: RecordStore & WriterStore;
  /** Opens a second store on the same data, as another shard does. */
  readonly otherStore: RecordStore;
  /** Fences off all present writers, as the start of a process does. */
  supersedeWriters(): Promise<void>;
  /** Creates an account with a run in progress. */
  newRun(): Promise<{ readonly accountId: string; readonly runId: string; readonly runNo: number }>;
  /** Deletes the run, as the deletion of its account does. */
  deleteRun(runId: string): Promise<void>;
  /** Returns the delivery log of a run in the order of its log numbers. */
  attemptsOf(runNo: number): Promise<LogRow[]>;
  /** Returns usage, ordered by month and feed. */
  usageOf(accountId: string): Promise<UsageDelta[]>;
  /** What was skipped for the endpoint `wh_1`, in the order of the timeline. */
  spansOf(runId: string): Promise<SkippedSpan[]>;
  /** What became of the updates of a run that were due, ordered by month and outcome. */
  dueOf(run: { readonly accountId: string; readonly runId: string }): Promise<DueDelta[]>;
  /** Returns the sums by month and feed, in that order. */
  latencyOf(accountId: string): Promise<LatencyDelta[]>;
}

type Run = Awaited<ReturnType<RecordStoreHarness['newRun']>>;

const CREATED_AT_MS = Date.UTC(2026, 10, 20, 12, 0, 0, 250);

let writers = 0;
function newWriter(): Writer {
  writers++;
  return { name: `writer-${process.pid}-${writers}`, epoch: 1 };
}

function attempt(run: Run, sequence: number, changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    webhookNo: 7,
    runNo: run.runNo,
    mode: 'replay',
    feed: 6,
    sequence,
    attempt: 1,
    result: { kind: 'answered', statusCode: 200, body: 'ok' },
    latencyMs: 12.5,
    lagMs: 90.25,
    createdAtMs: CREATED_AT_MS,
    ...changes,
  };
}

function usage(run: Run, changes: Partial<UsageDelta> = {}): UsageDelta {
  return {
    accountId: run.accountId,
    month: '2026-11-01',
    day: 20,
    feedId: 'timing.data',
    attempts: 3,
    succeeded: 2,
    failed: 1,
    skipped: 4,
    ...changes,
  };
}

function latency(run: Run, counts: readonly number[], changes: Partial<LatencyDelta> = {}): LatencyDelta {
  return {
    accountId: run.accountId,
    month: '2026-11-01',
    feedId: 'timing.data',
    counts: Uint32Array.from(counts),
    ...changes,
  };
}

function checkpoint(run: Run, changes: Partial<Checkpoint> = {}): Checkpoint {
  return {
    runId: run.runId,
    webhookId: 'wh_1',
    nextPosition: 10,
    pending: [],
    matched: 5,
    delivered: 4,
    failed: 1,
    skipped: {},
    breaker: 'closed',
    lagMs: 0,
    spans: [],
    ...changes,
  };
}

/** Returns a batch of a writer that may commit. */
async function batch(store: RecordStore, content: Partial<RecordBatch>): Promise<RecordBatch> {
  const writer = content.writer ?? newWriter();
  await store.admit(writer);
  return { writer, batchNo: 1, attempts: [], usage: [], latency: [], checkpoints: [], ...content };
}

export function recordStoreConformance(name: string, harness: () => RecordStoreHarness): void {
  describe(`${name} as a record store`, () => {
    test('a batch records its attempts, usage, latencies and checkpoints', async () => {
      const { store, newRun, attemptsOf, usageOf, latencyOf } = harness();
      const run = await newRun();
      const answered = attempt(run, 1);
      const unanswered = attempt(run, 2, {
        attempt: 4,
        result: TIMED_OUT,
        latencyMs: 10_000,
        lagMs: null,
        mode: 'live',
      });
      await store.commit(
        await batch(store, {
          attempts: [answered, unanswered],
          usage: [usage(run)],
          latency: [latency(run, [0, 2, 1])],
          checkpoints: [checkpoint(run)],
        }),
      );
      assert.deepEqual(await attemptsOf(run.runNo), [answered, unanswered].map(logRow));
      assert.deepEqual(await usageOf(run.accountId), [usage(run)]);
      assert.deepEqual(await latencyOf(run.accountId), [latency(run, [0, 2, 1])]);
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run)]);
    });

    test('I1: spans of skipped updates come with the checkpoint that counts them; one that has grown replaces itself', async () => {
      const { store, newRun, deleteRun, spansOf } = harness();
      const [run, gone] = [await newRun(), await newRun()];
      await deleteRun(gone.runId);
      const open = { first: 4, last: 6, reason: 'paused' } as const;
      const once = await batch(store, { checkpoints: [checkpoint(run, { spans: [open] })] });
      const single = { first: 2, last: 2, reason: 'breaker_open' } as const;
      const grown = { ...open, last: 9 };
      await store.commit(once);
      await store.commit(once);
      assert.deepEqual(await spansOf(run.runId), [open]);
      const more = [checkpoint(run, { spans: [grown, single] }), checkpoint(gone, { spans: [open] })];
      await store.commit({ ...once, batchNo: 2, checkpoints: more });
      assert.deepEqual(await spansOf(run.runId), [single, grown]);
      assert.deepEqual(await spansOf(gone.runId), [], 'its account was deleted');
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run)]);
    });

    test('PU1: what became of due updates comes with the checkpoints that no longer have them, once', async () => {
      const { store, newRun, deleteRun, dueOf } = harness();
      const [run, gone] = [await newRun(), await newRun()];
      await deleteRun(gone.runId);
      const [november, december] = ['2026-11-01', '2026-12-01'] as const;
      const first = { month: november, outcome: 'on_time', updates: 5 } as const;
      const last = [
        { month: december, outcome: 'late', updates: 1 },
        { month: november, outcome: 'on_time', updates: 2 },
      ] as const;
      const once = await batch(store, {
        // Two of one actor: it was restarted.
        checkpoints: [
          checkpoint(run, { due: [first] }),
          checkpoint(run, { due: [first], heldBefore: 7 }),
          checkpoint(run, { webhookId: 'wh_2', due: last }),
          checkpoint(gone, { due: [first] }),
        ],
      });
      await store.commit(once);
      await store.commit(once);
      const expected = [{ ...first, updates: 12 }, last[0]];
      assert.deepEqual(await dueOf(run), expected);
      assert.deepEqual(await dueOf(gone), [], 'its account was deleted');
      const [read] = await store.checkpoints(run.runId, ['wh_1']);
      assert.deepEqual(read, checkpoint(run, { heldBefore: 7 }), 'counts are not read back');
      await store.commit({ ...once, batchNo: 2, checkpoints: [checkpoint(run, { due: [first] })] });
      assert.deepEqual(await dueOf(run), [{ ...first, updates: 17 }, last[0]]);
      await store.admit({ ...once.writer, epoch: 2 });
      await assert.rejects(store.commit({ ...once, batchNo: 3 }), WriterSuperseded);
      assert.deepEqual(await dueOf(run), [{ ...first, updates: 17 }, last[0]]);
    });

    test('I1, I10: a batch that fails writes nothing, and its number can be used again', async () => {
      const { store, newRun, attemptsOf, usageOf, latencyOf } = harness();
      const run = await newRun();
      const whole = await batch(store, {
        attempts: [attempt(run, 1)],
        usage: [usage(run)],
        latency: [latency(run, [1])],
        checkpoints: [checkpoint(run)],
      });
      const impossible = attempt(run, 2, { webhookNo: 2 ** 40 });
      await assert.rejects(store.commit({ ...whole, attempts: [attempt(run, 1), impossible] }));
      assert.deepEqual(await attemptsOf(run.runNo), []);
      assert.deepEqual(await usageOf(run.accountId), []);
      assert.deepEqual(await latencyOf(run.accountId), []);
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), []);
      await store.commit(whole);
      assert.equal((await attemptsOf(run.runNo)).length, 1);
    });

    test('I10: what streams have sent is added to what is there, once', async () => {
      const { store, newRun, usageOf } = harness();
      const run = await newRun();
      const streamed = usage(run, { streamed: 5, demoStreamed: 2 });
      const first = await batch(store, { usage: [usage(run), streamed] });
      await store.commit(first);
      await store.commit(first);
      await store.commit({ ...first, batchNo: 2, usage: [streamed] });
      assert.deepEqual(await usageOf(run.accountId), [
        usage(run, { attempts: 9, succeeded: 6, failed: 3, skipped: 12, streamed: 10, demoStreamed: 4 }),
      ]);
    });

    test('I10: a batch that is sent again is written once', async () => {
      const { store, otherStore, newRun, attemptsOf, usageOf, latencyOf } = harness();
      const run = await newRun();
      const first = await batch(store, {
        attempts: [attempt(run, 1)],
        usage: [usage(run)],
        latency: [latency(run, [0, 3])],
        checkpoints: [checkpoint(run)],
      });
      await Promise.all([store.commit(first), otherStore.commit(first)]);
      await store.commit(first);
      const second = {
        ...first,
        batchNo: 2,
        attempts: [attempt(run, 2)],
        checkpoints: [checkpoint(run, { nextPosition: 20 })],
      };
      await store.commit(second);
      await store.commit(first);
      assert.deepEqual(
        (await attemptsOf(run.runNo)).map(({ sequence }) => sequence),
        [1, 2],
      );
      assert.deepEqual(await usageOf(run.accountId), [
        usage(run, { attempts: 6, succeeded: 4, failed: 2, skipped: 8 }),
      ]);
      assert.deepEqual(await latencyOf(run.accountId), [latency(run, [0, 6])]);
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run, { nextPosition: 20 })]);
    });

    test('a batch of a writer that was not admitted is refused and writes nothing', async () => {
      const { store, newRun, attemptsOf } = harness();
      const run = await newRun();
      const whole = await batch(store, { attempts: [attempt(run, 1)] });
      await assert.rejects(store.commit({ ...whole, writer: newWriter() }), WriterSuperseded);
      assert.deepEqual(await attemptsOf(run.runNo), []);
    });

    test('UR4: it knows the last batch of a writer, and neither strangers nor those that were replaced', async () => {
      const { store } = harness();
      const writer = newWriter();
      assert.equal(await store.lastBatch(writer), null);
      await store.admit(writer);
      assert.equal(await store.lastBatch(writer), 0);
      await store.commit({ writer, batchNo: 3, attempts: [], usage: [], latency: [], checkpoints: [] });
      assert.equal(await store.lastBatch(writer), 3);
      const successor = { ...writer, epoch: 2 };
      assert.equal(await store.lastBatch(successor), 0, 'its predecessor is known');
      await store.admit(successor);
      assert.equal(await store.lastBatch(writer), null);
    });

    test('I9: once a successor is admitted, the earlier writer commits nothing more', async () => {
      const { store, otherStore, newRun, attemptsOf, usageOf } = harness();
      const run = await newRun();
      const first = await batch(store, { attempts: [attempt(run, 1)], checkpoints: [checkpoint(run)] });
      await store.commit(first);
      const successor = { ...first.writer, epoch: 2 };
      await otherStore.admit(successor);
      const late = { ...first, batchNo: 2, attempts: [attempt(run, 2)], usage: [usage(run)] };
      await assert.rejects(store.commit(late), WriterSuperseded);
      const later = await batch(otherStore, {
        writer: successor,
        checkpoints: [checkpoint(run, { nextPosition: 20 })],
      });
      await otherStore.commit(later);
      // A late admission of the dead writer and a repeated admission have no effect.
      await store.admit(first.writer);
      await otherStore.admit(successor);
      await otherStore.commit({ ...later, batchNo: 2 });
      assert.equal((await attemptsOf(run.runNo)).length, 1);
      assert.deepEqual(await usageOf(run.accountId), []);
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run, { nextPosition: 20 })]);
    });

    test('a commit that races with the admission of a successor happens completely or not at all, before any read that follows', async () => {
      const { store, otherStore, newRun, attemptsOf } = harness();
      for (let round = 0; round < 20; round++) {
        const run = await newRun();
        const attempts = Array.from({ length: 50 }, (_, i) => attempt(run, i));
        const late = await batch(store, {
          attempts,
          checkpoints: [checkpoint(run)],
          ...(round % 2 === 1 && { checkpointsAreLate: true }),
        });
        const committed = store.commit(late).then(
          () => true,
          (error: Error) => error instanceof WriterSuperseded && false,
        );
        await otherStore.admit({ ...late.writer, epoch: 2 });
        const read = await otherStore.checkpoints(run.runId, ['wh_1']);
        const logged = await attemptsOf(run.runNo);
        assert.equal(await committed, read.length === 1);
        assert.equal(logged.length, read.length === 1 ? 50 : 0);
        assert.deepEqual(await otherStore.checkpoints(run.runId, ['wh_1']), read);
      }
    });

    test('G6: late checkpoints are durable with their batch, and read once the next epoch of their writer is admitted', async () => {
      const { store, otherStore, newRun, deleteRun, attemptsOf } = harness();
      const [run, gone] = [await newRun(), await newRun()];
      const first = await batch(store, { checkpoints: [checkpoint(run)] });
      await store.commit(first);
      const pending = [{ position: 7, attemptsMade: 1, dueAtMs: CREATED_AT_MS + 0.5 }];
      const latest = checkpoint(run, {
        nextPosition: 30,
        pending,
        heldBefore: 4,
        skipped: { paused: 2 },
        breaker: 'open',
      });
      const other = checkpoint(run, { webhookId: 'wh_2' });
      const older = [checkpoint(run, { nextPosition: 20 }), other, checkpoint(gone)];
      await store.commit({ ...first, batchNo: 9, checkpointsAreLate: true, checkpoints: older });
      const attempts = [attempt(run, 1)];
      await store.commit({ ...first, batchNo: 10, checkpointsAreLate: true, attempts, checkpoints: [latest] });
      await store.commit({ ...first, batchNo: 11, checkpointsAreLate: true, checkpoints: [] });
      await deleteRun(gone.runId);
      await store.admit(first.writer);
      assert.equal((await attemptsOf(run.runNo)).length, 1);
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1', 'wh_2']), [checkpoint(run)]);
      await otherStore.admit({ ...first.writer, epoch: 2 });
      const read = await otherStore.checkpoints(run.runId, ['wh_1', 'wh_2']);
      assert.deepEqual(
        read.sort((a, b) => a.webhookId.localeCompare(b.webhookId)),
        [latest, other],
      );
      assert.deepEqual(await store.checkpoints(gone.runId, ['wh_1']), [], 'its account was deleted');
    });

    test('G6: the start of a process applies the late checkpoints of every writer, once', async () => {
      const { store, newRun, supersedeWriters } = harness();
      const run = await newRun();
      for (const webhookId of ['wh_1', 'wh_2']) {
        const first = await batch(store, { checkpoints: [checkpoint(run, { webhookId })], checkpointsAreLate: true });
        await store.commit({ ...first, batchNo: 2, checkpoints: [checkpoint(run, { webhookId, nextPosition: 20 })] });
      }
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1', 'wh_2']), []);
      await supersedeWriters();
      const positions = async (): Promise<number[]> =>
        (await store.checkpoints(run.runId, ['wh_1', 'wh_2'])).map(({ nextPosition }) => nextPosition);
      assert.deepEqual(await positions(), [20, 20]);
      const checkpoints = ['wh_1', 'wh_2'].map((webhookId) => checkpoint(run, { webhookId, nextPosition: 30 }));
      await store.commit(await batch(store, { checkpoints }));
      await supersedeWriters();
      assert.deepEqual(await positions(), [30, 30]);
    });

    test('G6: a batch with rows overtakes the late checkpoints of its writer, and of no other', async () => {
      const { store, newRun } = harness();
      const run = await newRun();
      const late = [
        await batch(store, { checkpoints: [checkpoint(run)], checkpointsAreLate: true }),
        await batch(store, { checkpoints: [checkpoint(run, { webhookId: 'wh_2' })], checkpointsAreLate: true }),
      ] as const;
      for (const one of late) await store.commit(one);
      const rows = await batch(store, {
        writer: late[0].writer,
        batchNo: 2,
        checkpoints: [checkpoint(run, { nextPosition: 20 })],
      });
      await store.commit(rows);
      // It arrives again, after what overtook it.
      await store.commit(late[0]);
      for (const { writer } of late) await store.admit({ ...writer, epoch: 2 });
      const read = await store.checkpoints(run.runId, ['wh_1', 'wh_2']);
      assert.deepEqual(read.map(({ webhookId, nextPosition }) => [webhookId, nextPosition]).sort(), [
        ['wh_1', 20],
        ['wh_2', 10],
      ]);
    });

    test('G6: late checkpoints become rows in parts; the rest of their batches stays late until all of it is rows', async () => {
      const { store, otherStore, newRun } = harness();
      const run = await newRun();
      const of = (webhookId: string, nextPosition: number) => checkpoint(run, { webhookId, nextPosition });
      const positions = async (): Promise<[string, number][]> =>
        (await store.checkpoints(run.runId, ['wh_1', 'wh_2', 'wh_3']))
          .map(({ webhookId, nextPosition }): [string, number] => [webhookId, nextPosition])
          .sort();
      const first = await batch(store, { checkpoints: [of('wh_1', 10), of('wh_2', 10)], checkpointsAreLate: true });
      await store.commit({ ...first, lateRows: { checkpoints: [of('wh_1', 10)], upToBatchNo: 0 } });
      assert.deepEqual(await positions(), [['wh_1', 10]]);
      const next = { ...first, batchNo: 2, checkpoints: [of('wh_1', 20), of('wh_3', 20)] };
      await store.commit({ ...next, lateRows: { checkpoints: [of('wh_2', 10)], upToBatchNo: 1 } });
      assert.deepEqual(await positions(), [
        ['wh_1', 10],
        ['wh_2', 10],
      ]);
      // Were the first batch still late, its successor would set this one back.
      const other = await batch(store, { checkpoints: [of('wh_2', 30)] });
      await store.commit(other);
      await otherStore.admit({ ...first.writer, epoch: 2 });
      assert.deepEqual(await positions(), [
        ['wh_1', 20],
        ['wh_2', 30],
        ['wh_3', 20],
      ]);
    });

    test('G6: a batch whose late checkpoints are all rows with it leaves none of them late', async () => {
      const { store, otherStore, newRun } = harness();
      const run = await newRun();
      const first = await batch(store, { checkpoints: [checkpoint(run)], checkpointsAreLate: true });
      await store.commit({ ...first, lateRows: { checkpoints: [checkpoint(run)], upToBatchNo: 1 } });
      // Were it still late, its successor would set this one back.
      const moved = checkpoint(run, { nextPosition: 30 });
      await store.commit(await batch(store, { checkpoints: [moved] }));
      await otherStore.admit({ ...first.writer, epoch: 2 });
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [moved]);
    });

    test('G6, PU1: what late checkpoints skipped and decided is recorded with their batch, once', async () => {
      const { store, newRun, spansOf, dueOf } = harness();
      const run = await newRun();
      const span = { first: 4, last: 6, reason: 'paused' } as const;
      const due = { month: '2026-11-01', outcome: 'on_time', updates: 5 } as const;
      const first = await batch(store, { checkpoints: [checkpoint(run, { nextPosition: 0 })] });
      await store.commit(first);
      const checkpoints = [checkpoint(run, { spans: [span], due: [due] })];
      const late = { ...first, batchNo: 2, checkpoints, checkpointsAreLate: true as const };
      const expectOnce = async (): Promise<void> => {
        assert.deepEqual(await spansOf(run.runId), [span]);
        assert.deepEqual(await dueOf(run), [due]);
      };
      await store.commit(late);
      await expectOnce();
      await store.commit(late);
      await store.admit({ ...late.writer, epoch: 2 });
      await expectOnce();
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run)]);
    });

    test('a full batch keeps its order', async () => {
      const { store, newRun, attemptsOf } = harness();
      const run = await newRun();
      // Sequences that rise and fall, so that only the batch's own order reproduces them.
      const attempts = Array.from({ length: RECORD_BATCH_ATTEMPTS }, (_, i) =>
        attempt(run, (i * 7_919) % RECORD_BATCH_ATTEMPTS, { webhookNo: (i % 50) + 1, createdAtMs: CREATED_AT_MS - i }),
      );
      await store.commit(await batch(store, { attempts }));
      const written = await attemptsOf(run.runNo);
      assert.equal(written.length, attempts.length);
      // Row by row: one comparison of both lists would take hours to print how thousands of rows differ.
      for (const [place, row] of written.entries()) assert.deepEqual(row, logRow(attempts[place]!), `place ${place}`);
    });

    test('usage of the same day and feed adds up, within a batch and over batches', async () => {
      const { store, newRun, usageOf } = harness();
      const run = await newRun();
      const december = usage(run, { month: '2026-12-01' });
      const weather = usage(run, { feedId: 'weather.data' });
      const nextDay = usage(run, { day: 21 });
      await store.commit(await batch(store, { usage: [usage(run), december, nextDay, usage(run)] }));
      await store.commit(await batch(store, { usage: [weather, usage(run)] }));
      assert.deepEqual(await usageOf(run.accountId), [
        usage(run, { attempts: 9, succeeded: 6, failed: 3, skipped: 12 }),
        nextDay,
        weather,
        december,
      ]);
    });

    test('latencies of the same month and feed add up by bucket, however many buckets they reach', async () => {
      const { store, newRun, latencyOf } = harness();
      const run = await newRun();
      const december = { month: '2026-12-01' } as const;
      const weather = { feedId: 'weather.data' } as const;
      await store.commit(
        await batch(store, {
          latency: [latency(run, [1]), latency(run, [7], december), latency(run, [0, 0, 2]), latency(run, [4])],
        }),
      );
      await store.commit(await batch(store, { latency: [latency(run, [0, 5]), latency(run, [0, 0, 0, 9], weather)] }));
      await store.commit(await batch(store, { latency: [latency(run, [1, 1, 1, 1, 1])] }));
      assert.deepEqual(await latencyOf(run.accountId), [
        latency(run, [6, 6, 3, 1, 1]),
        latency(run, [0, 0, 0, 9], weather),
        latency(run, [7], december),
      ]);
    });

    test('I9: a checkpoint replaces the earlier one of the same actor only', async () => {
      const { store, newRun } = harness();
      const run = await newRun();
      const otherRun = await newRun();
      const later = checkpoint(run, { nextPosition: 30, delivered: 9, breaker: 'open', skipped: { paused: 2 } });
      const second = checkpoint(run, { webhookId: 'wh_2' });
      await store.commit(await batch(store, { checkpoints: [checkpoint(run), second, checkpoint(otherRun)] }));
      await store.commit(await batch(store, { checkpoints: [checkpoint(run, { nextPosition: 20 }), later] }));
      const byId = (await store.checkpoints(run.runId, ['wh_2', 'wh_1', 'wh_3'])).sort((a, b) =>
        a.webhookId.localeCompare(b.webhookId),
      );
      assert.deepEqual(byId, [later, second]);
      assert.deepEqual(await store.checkpoints(otherRun.runId, ['wh_1']), [checkpoint(otherRun)]);
      assert.deepEqual(await store.checkpoints(run.runId, []), []);
    });

    test('I1, I4: pending updates are read back unchanged', async () => {
      const { store, newRun } = harness();
      const run = await newRun();
      const pending = [
        { position: 0, attemptsMade: 0, dueAtMs: 0 },
        { position: 41, attemptsMade: 3, dueAtMs: CREATED_AT_MS + 30_000 },
        { position: 42, attemptsMade: 1, dueAtMs: CREATED_AT_MS + 0.5 },
      ];
      const written = checkpoint(run, { pending, skipped: { 'breaker open': 3, paused: 1 }, lagMs: 1_250 });
      await store.commit(await batch(store, { checkpoints: [written] }));
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [written]);
    });

    test('an empty batch and one with checkpoints only are written', async () => {
      const { store, newRun } = harness();
      const run = await newRun();
      const writer = newWriter();
      await store.commit(await batch(store, { writer }));
      await store.commit(await batch(store, { writer, batchNo: 2, checkpoints: [checkpoint(run)] }));
      assert.deepEqual(await store.checkpoints(run.runId, ['wh_1']), [checkpoint(run)]);
    });

    test('a run that was deleted in the meantime does not make the batch fail', async () => {
      const { store, newRun, deleteRun } = harness();
      const [kept, deleted] = [await newRun(), await newRun()];
      await deleteRun(deleted.runId);
      await store.commit(await batch(store, { checkpoints: [checkpoint(deleted), checkpoint(kept)] }));
      assert.deepEqual(await store.checkpoints(kept.runId, ['wh_1']), [checkpoint(kept)]);
      assert.deepEqual(await store.checkpoints(deleted.runId, ['wh_1']), []);
    });

    test('I10: writers that change the same usage rows in any order do not deadlock', async () => {
      const { store, otherStore, newRun, usageOf, latencyOf } = harness();
      const run = await newRun();
      // Enough rows that the two collide most of the time.
      const feeds = ['timing.data', 'weather.data', 'events.race', 'lap.count', 'tire.stints'] as const;
      const months = Array.from(
        { length: 120 },
        (_, i) => `${2026 + Math.trunc(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}-01`,
      );
      const forward = months.flatMap((month) => feeds.map((feedId) => usage(run, { month, feedId })));
      const rounds = 10;
      const write = async (to: RecordStore, rows: readonly UsageDelta[]) => {
        const writer = newWriter();
        const times = rows.map(({ month, feedId }) => latency(run, [0, 1], { month, feedId }));
        for (let batchNo = 1; batchNo <= rounds; batchNo++) {
          await to.commit(await batch(to, { writer, batchNo, usage: rows, latency: times }));
        }
      };
      await Promise.all([write(store, forward), write(otherStore, forward.toReversed())]);
      for (const row of await usageOf(run.accountId)) assert.equal(row.attempts, 3 * 2 * rounds);
      for (const row of await latencyOf(run.accountId)) assert.equal(row.counts[1], 2 * rounds);
    });

    test('no response of an endpoint can make a batch fail', async () => {
      const { store, newRun, attemptsOf } = harness();
      const run = await newRun();
      const kept = [
        '',
        'NULL',
        '"',
        '\\',
        '\\"',
        '{}',
        '{a,"b"}',
        "'; drop table run; --",
        '$1',
        'é 日本 🏎',
        '\n\t\r\x01',
      ];
      const replaced: [string, string][] = [
        ['nul\0nul', 'nul\uFFFDnul'],
        ['\uD83C high alone', '\uFFFD high alone'],
        ['low alone \uDFCE', 'low alone \uFFFD'],
      ];
      const long = '\\"'.repeat(RESPONSE_KEPT_BYTES_MAX / 2);
      const bodies = [...kept, ...replaced.map(([body]) => body), long];
      await store.commit(
        await batch(store, {
          attempts: bodies.flatMap((body, i) => [
            attempt(run, i, { result: { kind: 'answered', statusCode: 200, body } }),
            attempt(run, i, { result: failed('other', body) }),
          ]),
        }),
      );
      const expected = [...kept, ...replaced.map(([, body]) => body), long];
      const written = await attemptsOf(run.runNo);
      assert.deepEqual(
        written.flatMap(({ responseBody }) => responseBody ?? []),
        expected,
      );
      assert.deepEqual(
        written.flatMap(({ error }) => error ?? []),
        expected,
      );
    });
  });
}
