import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCheckpoint } from '#engine/endpoint/endpoint-actor.ts';
import { RECORD_BATCH_MS, RECORD_BUFFER_ATTEMPTS_MAX } from '#engine/limits.ts';
import type { AttemptRecord, Checkpoint } from '#engine/record/record-store.ts';
import { type Checkpointed, Recorder } from '#engine/record/recorder.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

class CountingActor implements Checkpointed {
  delivered = 0;
  checkpoint(): Checkpoint {
    return { ...newCheckpoint('run_1', 'wh_1'), delivered: this.delivered };
  }
}

function attempt(createdAtMs: number): AttemptRecord {
  return {
    webhookNo: 1,
    runNo: 1,
    mode: 'replay',
    feed: 6,
    sequence: 1,
    attempt: 1,
    statusCode: 200,
    latencyMs: 1,
    error: null,
    responseBody: '',
    createdAtMs,
  };
}

function setUp() {
  const time = new SimulatedTime();
  const store = new MemoryRecordStore();
  let cancel = (): void => {};
  const wake = (): void => sleep(0);
  const recorder: Recorder = new Recorder({ store, clock: time, writer: 'w', wake, troubled: () => {} });
  const sleep = (delayMs: number): void => {
    cancel();
    cancel = time.schedule(delayMs, () => {
      recorder.advance(time.nowMs());
      const next = recorder.nextDueMs();
      if (next !== Number.POSITIVE_INFINITY) sleep(next - time.nowMs());
    });
  };
  const actor = new CountingActor();
  const record = (createdAtMs = time.wallMs()): void => {
    actor.delivered++;
    recorder.attempt(actor, recorder.ledger('acc_1'), attempt(createdAtMs), true);
    sleep(Math.max(0, recorder.nextDueMs() - time.nowMs()));
  };
  return { time, store, recorder, actor, record };
}

test('R1: a batch holds the attempts and the checkpoint of the same moment', async () => {
  const { time, store, record } = setUp();
  for (let i = 0; i < 3; i++) record();
  assert.equal(store.attempts.length, 0);
  await time.pass(RECORD_BATCH_MS);
  assert.equal(store.attempts.length, 3);
  assert.equal(store.checkpoint('run_1', 'wh_1')!.delivered, 3);
});

test('R2: a batch whose answer was lost is sent again and written once', async () => {
  const { time, store, record } = setUp();
  store.trouble = 'lose-answer';
  record();
  await time.pass(RECORD_BATCH_MS * 2);
  store.trouble = 'none';
  record();
  await time.pass(10_000);
  assert.equal(store.attempts.length, 2);
  assert.equal([...store.usage.values()][0]!.attempts, 2, 'I10');
});

test('R3: while the store fails the buffer fills up to its bound, and drains when it is back', async () => {
  const { time, store, recorder, record } = setUp();
  store.trouble = 'refuse';
  for (let i = 0; i < RECORD_BUFFER_ATTEMPTS_MAX; i++) record();
  assert.equal(recorder.hasRoom, false);
  await time.pass(60_000);
  assert.equal(recorder.hasRoom, false);
  store.trouble = 'none';
  await time.pass(60_000);
  assert.equal(recorder.hasRoom, true);
  assert.equal(store.attempts.length, RECORD_BUFFER_ATTEMPTS_MAX);
});

test('a failing store is asked again with growing pauses, not in a tight loop', async () => {
  const { time, store, record } = setUp();
  store.trouble = 'refuse';
  record();
  await time.pass(60_000);
  assert.ok(store.commits > 5 && store.commits < 30, `${store.commits} tries in a minute`);
});

test('R4: usage belongs to the month in which the attempt started', async () => {
  const { time, store, record } = setUp();
  record(Date.UTC(2026, 5, 30, 23, 59, 59, 999));
  record(Date.UTC(2026, 6, 1));
  await time.pass(1_000);
  const months = [...store.usage.values()].map(({ month, attempts }) => [month, attempts]);
  assert.deepEqual(months, [
    ['2026-06-01', 1],
    ['2026-07-01', 1],
  ]);
});

test('whenWritten calls back only once everything before is durable', async () => {
  const { time, store, recorder, record } = setUp();
  store.trouble = 'refuse';
  record();
  let written = false;
  recorder.whenWritten(() => {
    written = true;
  });
  await time.pass(5_000);
  assert.equal(written, false);
  store.trouble = 'none';
  await time.pass(10_000);
  assert.equal(written, true);
  assert.equal(store.attempts.length, 1);
});
