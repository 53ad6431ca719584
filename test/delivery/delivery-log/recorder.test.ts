import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  RECORD_BATCH_ATTEMPTS,
  RECORD_BATCH_MS,
  RECORD_BUFFER_ATTEMPTS_MAX,
  RECORD_LAST_COMMIT_MS,
  RECORD_PART_ROWS_MIN,
  RECORD_RETRY_MS,
  RECORD_ROUND_MS,
} from '#engine/base/limits.ts';
import type { AttemptRecord, Checkpoint, RecordBatch } from '#engine/delivery/delivery-log/record-store.ts';
import { NO_SPANS, newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { type Checkpointed, Recorder, type RecorderParts } from '#engine/delivery/delivery-log/recorder.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { dateOf } from '#engine/delivery/usage/day.ts';
import type { DueDelta } from '#engine/delivery/usage/due-outcome.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

class CountingActor implements Checkpointed {
  delivered = 0;
  checkpoints = 0;
  readonly #webhookId: string;

  constructor(webhookId = 'wh_1') {
    this.#webhookId = webhookId;
  }

  failed(error: Error): void {
    throw error;
  }

  checkpoint(): Checkpoint {
    this.checkpoints++;
    return { ...newCheckpoint('run_1', this.#webhookId), delivered: this.delivered };
  }
}

function attempt(createdAtMs: number, webhookNo: number): AttemptRecord {
  return {
    webhookNo,
    runNo: 1,
    mode: 'replay',
    feed: 6,
    sequence: 1,
    attempt: 1,
    result: { kind: 'answered', statusCode: 200, body: '' },
    latencyMs: 1,
    lagMs: 2,
    createdAtMs,
  };
}

function setUp(meter = new ShardMeter().records, keep: RecorderParts['keep'] = () => 0) {
  const time = new SimulatedTime();
  const store = new MemoryRecordStore();
  /** For each failed commit, when the next one follows. */
  const problems: number[] = [];
  let cancel = (): void => {};
  const wake = (): void => sleep(0);
  const recorder: Recorder = new Recorder({
    store,
    clock: time,
    meter,
    writer: { name: 'w', epoch: 1 },
    wake,
    reportProblem: (_, waitMs) => problems.push(waitMs),
    keep,
  });
  const sleep = (delayMs: number): void => {
    cancel();
    cancel = time.schedule(delayMs, () => {
      recorder.advance(time.nowMs());
      const next = recorder.nextDueMs();
      if (next !== Number.POSITIVE_INFINITY) sleep(next - time.nowMs());
    });
  };
  const actor = new CountingActor();
  const ledger = recorder.openLedger('acc_1');
  const record = (createdAtMs = time.wallMs(), webhookNo = 1): void => {
    actor.delivered++;
    recorder.attempt(actor, ledger, attempt(createdAtMs, webhookNo), 25);
    sleep(Math.max(0, recorder.nextDueMs() - time.nowMs()));
  };
  return { time, store, recorder, actor, ledger, record, problems };
}

test('R1: a batch holds the attempts and the checkpoint of the same moment', async () => {
  const { time, store, record } = setUp();
  for (let i = 0; i < 3; i++) record();
  assert.equal(store.attempts.length, 0);
  await time.pass(RECORD_BATCH_MS);
  assert.equal(store.attempts.length, 3);
  assert.equal(store.checkpoint('run_1', 'wh_1')!.delivered, 3);
});

test('R2: a batch whose confirmation was lost is sent again and written once', async () => {
  const { time, store, record } = setUp();
  store.fault = 'lose-answer';
  record();
  await time.pass(RECORD_BATCH_MS * 2);
  store.fault = 'none';
  record();
  await time.pass(10_000);
  assert.equal(store.attempts.length, 2);
  assert.equal([...store.usage.values()][0]!.attempts, 2, 'I10');
});

test('R3: while the store fails the buffer fills up to its bound, and drains when it is back', async () => {
  const { time, store, recorder, record } = setUp();
  store.fault = 'refuse';
  for (let i = 0; i < RECORD_BUFFER_ATTEMPTS_MAX; i++) record();
  assert.equal(recorder.hasRoom, false);
  await time.pass(60_000);
  assert.equal(recorder.hasRoom, false);
  store.fault = 'none';
  await time.pass(60_000);
  assert.equal(recorder.hasRoom, true);
  assert.equal(store.attempts.length, RECORD_BUFFER_ATTEMPTS_MAX);
});

test('after a failure the store is tried again with growing pauses, not in a tight loop', async () => {
  const { time, store, record } = setUp();
  store.fault = 'refuse';
  record();
  await time.pass(60_000);
  assert.ok(store.commits > 5 && store.commits < 30, `${store.commits} tries in a minute`);
});

test('R4: usage belongs to the day in which the attempt started, and so to its month', async () => {
  const { time, store, record } = setUp();
  record(Date.UTC(2026, 5, 30, 23, 59, 59, 999));
  record(Date.UTC(2026, 6, 1));
  await time.pass(1_000);
  const months = [...store.usage.values()].map(({ month, attempts }) => [month, attempts]);
  assert.deepEqual(months.sort(), [
    ['2026-06-01', 1],
    ['2026-07-01', 1],
  ]);
});

test('whenWritten calls back only once everything before is durable', async () => {
  const { time, store, recorder, record } = setUp();
  store.fault = 'refuse';
  record();
  let written = false;
  recorder.whenWritten(() => {
    written = true;
  });
  await time.pass(5_000);
  assert.equal(written, false);
  store.fault = 'none';
  await time.pass(10_000);
  assert.equal(written, true);
  assert.equal(store.attempts.length, 1);
});

test('R4: an attempt that ends after one of the next month still counts in the month in which it started', async () => {
  const { time, store, record } = setUp();
  record(Date.UTC(2026, 6, 1));
  record(Date.UTC(2026, 5, 30, 23, 59, 59, 999));
  await time.pass(1_000);
  const months = [...store.usage.values()].map(({ month, feedId, attempts, succeeded }) => [
    month,
    feedId,
    attempts,
    succeeded,
  ]);
  assert.deepEqual(months.sort(), [
    ['2026-06-01', FEEDS[6]!.feedId, 1, 1],
    ['2026-07-01', FEEDS[6]!.feedId, 1, 1],
  ]);
});

test('R4, I10: whatever the clock does, usage of a day is what began on it, and the days of a month add up to it', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -40 * 86_400_000, max: 40 * 86_400_000 }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 6 * 3_600_000 }) }),
    // How long ago it began.
    fc.record({ kind: fc.constant('record' as const), ms: fc.integer({ min: 0, max: 30_000 }) }),
    fc.record({ kind: fc.constantFrom('skip' as const, 'lose' as const, 'find' as const), ms: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { time, store, recorder, actor, ledger, record } = setUp();
      const began = new Map<string, number>();
      let skipped = 0;
      for (const { kind, ms } of steps) {
        if (kind === 'jump') time.stepWall(ms);
        if (kind === 'pass') await time.pass(ms);
        if (kind === 'lose') store.fault = 'lose-answer';
        if (kind === 'find') store.fault = 'none';
        if (kind === 'skip') {
          recorder.skipped(actor, ledger, 6);
          skipped++;
        }
        if (kind === 'record') {
          const atMs = time.wallMs() - ms;
          const date = new Date(atMs).toISOString().slice(0, 10);
          began.set(date, (began.get(date) ?? 0) + 1);
          record(atMs);
        }
      }
      store.fault = 'none';
      // Skips alone wake nobody.
      record();
      const last = new Date(time.wallMs()).toISOString().slice(0, 10);
      began.set(last, (began.get(last) ?? 0) + 1);
      await time.pass(60_000);
      const rows = [...store.usage.values()];
      const counted = rows
        .filter(({ attempts }) => attempts > 0)
        .map((row) => [dateOf(row.month, row.day), row.attempts]);
      assert.deepEqual(new Map(counted as [string, number][]), new Map(began));
      assert.equal(
        rows.reduce((sum, row) => sum + row.skipped, 0),
        skipped,
      );
    }),
    { numRuns: 60 },
  );
});

test('R4: a skip in a new month counts there, even without any attempt in it', async () => {
  const { time, store, recorder, actor, ledger } = setUp();
  await time.pass(31 * 24 * 3_600_000);
  recorder.skipped(actor, ledger, 6);
  recorder.whenWritten(() => {});
  await time.pass(1_000);
  assert.deepEqual(
    [...store.usage.values()].map(({ month, skipped }) => [month, skipped]),
    [['2026-07-01', 1]],
  );
});

test('R4: after a clock that was in the next month came back, attempts and skips count in the true month, in one sum', async () => {
  const { time, store, recorder, actor, ledger, record } = setUp();
  const sums: number[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    sums.push(batch.usage.length);
    return commit(batch);
  };
  const second = async (): Promise<void> => {
    for (let n = 0; n < 1_000; n++) record(time.wallMs());
    recorder.skipped(actor, ledger, 6);
    await time.pass(1_000);
  };
  await second();
  time.stepWall(31 * 86_400_000);
  await second();
  time.stepWall(-31 * 86_400_000);
  await second();
  await second();
  const months = [...store.usage.values()].map(({ month, attempts, skipped }) => [month, attempts, skipped]);
  assert.deepEqual(months.sort(), [
    ['2026-06-01', 3_000, 3],
    ['2026-07-01', 1_000, 1],
  ]);
  assert.deepEqual(sums, [1, 1, 1, 1]);
});

test('I2: the ledger of an account is dropped once its last actor has closed it and its counts are in a batch', async () => {
  const { time, store, recorder, ledger, record } = setUp();
  assert.equal(recorder.openLedger('acc_1'), ledger);
  recorder.closeLedger(ledger);
  assert.equal(recorder.ledgers, 1);
  record();
  recorder.closeLedger(ledger);
  assert.equal(recorder.ledgers, 1, 'its counts are not in a batch yet');
  await time.pass(1_000);
  assert.equal(recorder.ledgers, 0);
  assert.equal([...store.usage.values()][0]!.attempts, 1);
});

test('whenWritten waits for its own batch, not for an earlier one', async () => {
  const { time, store, recorder, record } = setUp();
  store.fault = 'refuse';
  record();
  await time.pass(RECORD_BATCH_MS);
  record();
  let writtenThen = -1;
  recorder.whenWritten(() => {
    writtenThen = store.attempts.length;
  });
  store.fault = 'none';
  await time.pass(10_000);
  assert.equal(writtenThen, 2);
});

test('R2: while a batch is being written no other is sent', async () => {
  const { time, store, recorder, record } = setUp();
  store.fault = 'hang';
  record();
  await time.pass(RECORD_BATCH_MS);
  store.fault = 'none';
  record();
  await time.pass(10_000);
  recorder.advance(time.nowMs());
  assert.equal(store.commits, 1);
});

test('after a success the pauses between tries start short again', async () => {
  const { time, store, record } = setUp();
  store.fault = 'refuse';
  record();
  await time.pass(30_000);
  store.fault = 'none';
  await time.pass(10_000);
  store.fault = 'refuse';
  record();
  await time.pass(RECORD_BATCH_MS);
  const { commits } = store;
  await time.pass(RECORD_RETRY_MS);
  assert.equal(store.commits, commits + 1);
});

test('an actor that has not changed since the last batch gives no checkpoint', async () => {
  const { time, recorder, actor, record } = setUp();
  record();
  await time.pass(1_000);
  assert.equal(actor.checkpoints, 1);
  recorder.whenWritten(() => {});
  await time.pass(1_000);
  assert.equal(actor.checkpoints, 1);
});

test('R3: a commit makes only as much room in the buffer as it has written', async () => {
  const { time, store, recorder, record } = setUp();
  store.fault = 'refuse';
  record();
  await time.pass(RECORD_BATCH_MS);
  for (let i = 0; i < RECORD_BUFFER_ATTEMPTS_MAX; i++) record();
  const rooms: boolean[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    rooms.push(recorder.hasRoom);
    return commit(batch);
  };
  store.fault = 'none';
  await time.pass(RECORD_ROUND_MS - 2 * RECORD_BATCH_MS);
  assert.deepEqual(rooms, [false, false], 'the first batch held one attempt only');
  assert.equal(recorder.hasRoom, true);
});

test('a noted actor that is replaced leaves nothing due, so the recorder does not ask to be called again and again', () => {
  const time = new SimulatedTime();
  const store = new MemoryRecordStore();
  const recorder = new Recorder({
    store,
    clock: time,
    meter: new ShardMeter().records,
    writer: { name: 'w', epoch: 1 },
    wake: () => {},
    reportProblem: () => {},
    keep: () => 0,
  });
  const actor = new CountingActor();
  recorder.note(actor);
  recorder.forget(actor);
  recorder.advance(RECORD_BATCH_MS);
  assert.equal(recorder.nextDueMs(), Number.POSITIVE_INFINITY);
});

test('I9: an actor whose counts are wrong fails alone, and the others are recorded', async () => {
  const { time, store, recorder, actor: sound, record } = setUp();
  const wrong = new CountingActor();
  const failures: string[] = [];
  wrong.checkpoint = () => {
    throw new Error('I1');
  };
  wrong.failed = (error) => {
    failures.push(error.message);
    // As its shard does: a successor replaces it.
    recorder.note(successor);
  };
  const successor = new CountingActor();
  recorder.note(wrong);
  record();
  await time.pass(10 * RECORD_BATCH_MS);
  assert.deepEqual(failures, ['I1']);
  assert.equal(store.attempts.length, 1);
  assert.equal(sound.checkpoints, 1);
  assert.equal(successor.checkpoints, 1, 'its checkpoint goes with the next batch');
});

for (const fault of ['hang', 'refuse'] as const) {
  test(`R6: at its end, what a store that does ${fault === 'hang' ? 'not answer' : 'nothing but fail'} has not confirmed in time is kept, in order`, async () => {
    const kept: RecordBatch[] = [];
    const { time, store, recorder, record } = setUp(undefined, (batches) => kept.push(...batches));
    store.fault = fault;
    record();
    await time.pass(RECORD_BATCH_MS);
    record();
    let settled = false;
    recorder.whenWritten(() => {
      settled = true;
    });
    const ended: [lost: number, atMs: number][] = [];
    const sinceMs = time.nowMs();
    recorder.end((lost) => ended.push([lost, time.nowMs() - sinceMs]));
    await time.pass(60_000);
    assert.deepEqual(ended, [[0, RECORD_LAST_COMMIT_MS]]);
    assert.deepEqual(
      kept.map(({ batchNo, attempts, checkpoints, health }) => [
        batchNo,
        attempts.length,
        checkpoints[0]?.delivered,
        health?.[0]?.attempts,
      ]),
      [
        [1, 1, 1, undefined],
        [2, 1, 2, undefined],
        [3, 0, undefined, 2],
      ],
    );
    assert.equal(settled, false, 'only the database makes something durable that others see');
    assert.equal(recorder.nextDueMs(), Number.POSITIVE_INFINITY, 'nothing is left to do');
  });
}

test('R7: the health of endpoints joins a batch every few seconds, also when nothing else is left to write', async () => {
  const { time, store, record } = setUp();
  const written: (readonly [batchNo: number, attempts: number | undefined])[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    written.push([batch.batchNo, batch.health?.[0]?.attempts]);
    return commit(batch);
  };
  record();
  await time.pass(RECORD_ROUND_MS - RECORD_BATCH_MS / 2);
  record();
  await time.pass(60_000);
  assert.deepEqual(written, [
    [1, undefined],
    [2, 2],
  ]);
  record();
  await time.pass(60_000);
  assert.deepEqual(written.slice(2), [
    [3, undefined],
    [4, 1],
  ]);
});

test('R6: a store that answers in time takes everything, and nothing is kept', async () => {
  const { time, store, recorder, record } = setUp(undefined, () => assert.fail('nothing is to be kept'));
  store.fault = 'refuse';
  record();
  await time.pass(60_000);
  store.fault = 'none';
  const ended: number[] = [];
  recorder.end((lost) => ended.push(lost));
  await time.pass(RECORD_LAST_COMMIT_MS - 1);
  assert.deepEqual(ended, [0], 'it is tried at once, not after the pause of the last failure');
  await time.pass(60_000);
  assert.deepEqual([ended, store.attempts.length], [[0], 1]);
});

test('R6: a recorder that holds nothing ends at once; batches that find no room are lost', async () => {
  const empty = setUp();
  const ended: number[] = [];
  empty.recorder.end((lost) => ended.push(lost));
  const { time, store, recorder, record } = setUp(undefined, () => 1);
  store.fault = 'hang';
  record();
  await time.pass(RECORD_BATCH_MS);
  record();
  recorder.end((lost) => ended.push(lost));
  await time.pass(60_000);
  assert.deepEqual(ended, [0, 1]);
});

/** Actors `wh_1` and on that have a row already, and the batches that follow. `change` changes the first `count` of them. */
async function manyActors(actors: number) {
  const { time, store, recorder, record } = setUp();
  const others = Array.from({ length: actors - 1 }, (_, index) => new CountingActor(`wh_${index + 2}`));
  const change = (count = actors): void => {
    record();
    for (const other of others.slice(0, count - 1)) {
      other.delivered++;
      recorder.note(other);
    }
  };
  change();
  await settled();
  const batches: RecordBatch[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    batches.push(batch);
    return commit(batch);
  };
  return { time, store, recorder, second: others[0]!, change, settled, batches, written, rows };

  async function settled(): Promise<void> {
    recorder.whenWritten(() => {});
    await time.pass(RECORD_BATCH_MS);
  }
  /** Of each batch: what came late, and how many rows it wrote. */
  function written(): (readonly [late: number, rows: number])[] {
    return batches.map(({ checkpointsAreLate, checkpoints, lateRows }) =>
      checkpointsAreLate ? [checkpoints.length, lateRows?.checkpoints.length ?? 0] : [0, checkpoints.length],
    );
  }
  function rows(): (number | undefined)[] {
    return Array.from({ length: actors }, (_, index) => store.checkpoint('run_1', `wh_${index + 1}`)?.delivered);
  }
}

/** More than a batch writes at once, and fewer than two batches do. */
const MANY = RECORD_PART_ROWS_MIN + 50;
/** So many that a round has as many parts as it may. */
const VERY_MANY = 1.5 * RECORD_PART_ROWS_MIN * (RECORD_ROUND_MS / RECORD_BATCH_MS);

test('R8: many checkpoints come late, and become rows a part with each batch, within a round', async () => {
  const { time, store, change, written, rows } = await manyActors(VERY_MANY);
  change();
  await time.pass(RECORD_BATCH_MS);
  const part = 1.5 * RECORD_PART_ROWS_MIN;
  assert.deepEqual(written(), [[VERY_MANY, part]]);
  assert.deepEqual([rows()[0], rows().at(-1)], [2, 1], 'the last rows are older');
  assert.equal(store.durableCheckpoint('run_1', `wh_${VERY_MANY}`)!.delivered, 2);
  // Nothing more changes.
  await time.pass(RECORD_ROUND_MS);
  assert.deepEqual(written().slice(1), new Array(RECORD_ROUND_MS / RECORD_BATCH_MS - 1).fill([0, part]));
  assert.deepEqual(new Set(rows()), new Set([2]));
});

test('R8: a checkpoint that changes during the round is written as it stands by then, and again by the next round if it was a row', async () => {
  const { time, change, written, rows } = await manyActors(3 * RECORD_PART_ROWS_MIN);
  change();
  await time.pass(RECORD_BATCH_MS);
  change();
  await time.pass(RECORD_BATCH_MS);
  const row = (place: number): number | undefined => rows()[place * RECORD_PART_ROWS_MIN];
  assert.deepEqual([row(0), row(1), row(2)], [2, 3, 1]);
  await time.pass(RECORD_BATCH_MS);
  assert.deepEqual([row(0), row(1), row(2)], [2, 3, 3]);
  await time.pass(RECORD_BATCH_MS);
  assert.deepEqual([row(0), row(1), row(2)], [3, 3, 3]);
  const all = 3 * RECORD_PART_ROWS_MIN;
  assert.deepEqual(written(), [
    [all, RECORD_PART_ROWS_MIN],
    [all, RECORD_PART_ROWS_MIN],
    [0, RECORD_PART_ROWS_MIN],
    [0, RECORD_PART_ROWS_MIN],
  ]);
});

test('R8, I1: a crash at any moment of a round leaves every checkpoint as it was last written', async () => {
  for (let batches = 1; batches <= 6; batches++) {
    const { time, store, change, rows } = await manyActors(3 * RECORD_PART_ROWS_MIN);
    for (let batch = 0; batch < batches; batch++) {
      // Fewer and fewer change: the others are not late again.
      change(Math.ceil((3 * RECORD_PART_ROWS_MIN) / (batch + 1)));
      await time.pass(RECORD_BATCH_MS);
    }
    store.supersedeWriters();
    const expected = rows().map((_, index) => {
      const changes = Array.from({ length: batches }, (_, batch) =>
        Math.ceil((3 * RECORD_PART_ROWS_MIN) / (batch + 1)),
      );
      return 1 + changes.filter((changed) => index < changed).length;
    });
    assert.deepEqual(rows(), expected, `after ${batches} batches`);
  }
});

test('R8: parts keep the pace of group commits, also while full batches are cut faster', async () => {
  const { time, recorder, change, written } = await manyActors(3 * RECORD_PART_ROWS_MIN);
  change();
  await time.pass(RECORD_BATCH_MS);
  for (let made = 0; made < RECORD_BATCH_ATTEMPTS; made++) change(1);
  recorder.advance(time.nowMs());
  await time.pass(0);
  assert.deepEqual(written(), [
    [3 * RECORD_PART_ROWS_MIN, RECORD_PART_ROWS_MIN],
    [1, 0],
  ]);
  assert.equal(recorder.nextDueMs(), time.nowMs() + RECORD_BATCH_MS);
});

test('R8: as many checkpoints as every batch writes are rows at once', async () => {
  const { time, change, written } = await manyActors(MANY);
  change(RECORD_PART_ROWS_MIN);
  await time.pass(RECORD_BATCH_MS);
  assert.deepEqual(written(), [[0, RECORD_PART_ROWS_MIN]]);
});

test('R8: once few are late, a batch writes all of them as rows', async () => {
  const { time, store, change, written, rows } = await manyActors(MANY);
  change();
  await time.pass(RECORD_BATCH_MS);
  change(1);
  await time.pass(RECORD_BATCH_MS);
  assert.deepEqual(written(), [
    [MANY, RECORD_PART_ROWS_MIN],
    [0, 51],
  ]);
  const expected = [3, ...new Array(MANY - 1).fill(2)];
  assert.deepEqual(rows(), expected);
  store.supersedeWriters();
  assert.deepEqual(rows(), expected, 'nothing is late any more');
});

for (const who of ['whenWritten', 'end'] as const) {
  test(`R8: who waits in ${who} finds rows`, async () => {
    const { time, recorder, change, rows } = await manyActors(VERY_MANY);
    change();
    await time.pass(RECORD_BATCH_MS);
    change(1);
    const seen: (number | undefined)[][] = [];
    recorder[who](() => seen.push(rows()));
    await time.pass(RECORD_BATCH_MS);
    assert.deepEqual(seen, [[3, ...new Array(VERY_MANY - 1).fill(2)]]);
  });
}

test('R8, PU1: what late checkpoints skipped and decided is not written again with the rows', async () => {
  const { time, store, second, change, batches } = await manyActors(MANY);
  const due: DueDelta = { month: '2026-06-01', outcome: 'on_time', updates: 1 };
  const span = { first: 1, last: 1, reason: 'paused' } as const;
  const plain = second.checkpoint.bind(second);
  second.checkpoint = () => ({ ...plain(), spans: [span], due: [due] });
  change();
  await time.pass(RECORD_BATCH_MS);
  const expected = [[span], [due]];
  assert.deepEqual([store.spans('run_1', 'wh_2'), store.due('run_1', 'wh_2')], expected, 'they come with their batch');
  assert.equal(store.checkpoint('run_1', 'wh_2')!.delivered, 2, 'it is a row of the first part');
  await time.pass(RECORD_ROUND_MS);
  const later = batches.slice(1).flatMap(({ checkpoints }) => checkpoints);
  assert.equal(later.length, MANY - RECORD_PART_ROWS_MIN);
  for (const { spans, due } of later) assert.deepEqual([spans, due], [NO_SPANS, undefined]);
  assert.deepEqual([store.spans('run_1', 'wh_2'), store.due('run_1', 'wh_2')], expected);
});

test('R8: a batch that only makes rows has waited since it was cut, and so has what comes behind it', async () => {
  const { time, store, recorder, change } = await manyActors(MANY);
  change();
  await time.pass(RECORD_BATCH_MS);
  const lateMs = time.nowMs();
  store.fault = 'refuse';
  await time.pass(RECORD_BATCH_MS);
  change(1);
  await time.pass(RECORD_BATCH_MS);
  assert.equal(recorder.heldSinceMs, lateMs + RECORD_BATCH_MS);
});

test('R7: the health of many endpoints joins batches in parts, which fill a round', async () => {
  const { time, store, recorder, record } = setUp();
  const parts: number[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    if (batch.health !== undefined) parts.push(batch.health.length);
    return commit(batch);
  };
  for (let webhookNo = 1; webhookNo <= VERY_MANY; webhookNo++) record(time.wallMs(), webhookNo);
  await time.pass(RECORD_ROUND_MS);
  const part = 1.5 * RECORD_PART_ROWS_MIN;
  assert.deepEqual(parts, [part]);
  await time.pass(RECORD_ROUND_MS);
  assert.deepEqual(parts, new Array(RECORD_ROUND_MS / RECORD_BATCH_MS).fill(part));
  for (let webhookNo = 1; webhookNo <= VERY_MANY; webhookNo++) record(time.wallMs(), webhookNo);
  recorder.end(() => {});
  await time.pass(0);
  assert.equal(parts.at(-1), VERY_MANY, 'the last batch has all of it');
});

test('R9: a recorder whose writer was superseded says so once, has no room, and neither commits nor keeps anything more', async () => {
  const { time, store, recorder, record, problems } = setUp(undefined, () => assert.fail('nothing is to be kept'));
  record();
  await time.pass(RECORD_BATCH_MS);
  assert.equal(store.attempts.length, 1);
  store.supersedeWriters();
  record();
  await time.pass(60_000);
  assert.deepEqual(problems, [Number.POSITIVE_INFINITY]);
  assert.deepEqual(
    [recorder.hasRoom, recorder.nextDueMs(), store.attempts.length],
    [false, Number.POSITIVE_INFINITY, 1],
  );
  const ended: number[] = [];
  recorder.end((lost) => ended.push(lost));
  assert.deepEqual(ended, [0]);
});
