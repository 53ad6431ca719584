// Punctuality alone: whose time a wait was, when an endpoint's receiver and this service kept updates waiting in turns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ATTEMPT_MS_MAX, FIRST_ATTEMPT_STEPS_MAX } from '#engine/base/limits.ts';
import { Punctuality } from '#engine/delivery/endpoint/punctuality.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';

const WALL_MS = Date.UTC(2026, 10, 23);
const STEP_MS = FIRST_ATTEMPT_MS_MAX / FIRST_ATTEMPT_STEPS_MAX;

class Waiting {
  readonly punctuality = new Punctuality(0, WALL_MS, 0, [], new ShardMeter().due);
  nowMs = 0;

  /** The receiver has no room for so long. Then it answers. */
  held(ms: number): void {
    this.#turn(true);
    this.nowMs += ms;
    this.punctuality.answered(this.nowMs);
  }

  /** It has room, and no attempt begins for so long. */
  ours(ms: number): void {
    this.nowMs += ms;
    this.#turn(false);
  }

  /** Begins the update that was due at `dueMs`, and returns what became of it. */
  outcomeOf(dueMs: number): string {
    this.punctuality.begun(0, dueMs, false, this.nowMs, WALL_MS);
    const [only, ...more] = this.punctuality.counted();
    assert.deepEqual([only!.updates, more], [1, []]);
    this.punctuality.written();
    assert.deepEqual(this.punctuality.counted(), []);
    return only!.outcome;
  }

  #turn(held: boolean): void {
    this.punctuality.waits(0, this.nowMs);
    this.punctuality.turnEnded(true, held, 1, this.nowMs);
  }
}

test('PU2: our time adds up over any number of holds', () => {
  for (const [ours, outcome] of [
    [0.9 * FIRST_ATTEMPT_MS_MAX, 'receiver_busy'],
    [1.1 * FIRST_ATTEMPT_MS_MAX, 'late'],
  ] as const) {
    const waiting = new Waiting();
    for (let round = 0; round < 100; round++) {
      waiting.held(10_000);
      waiting.ours(ours / 100);
    }
    assert.equal(waiting.outcomeOf(0), outcome, `${ours} ms of 1,000 s`);
  }
});

test('PU2: of our time only what came after an update was due counts for it', () => {
  const waiting = new Waiting();
  waiting.held(5_000);
  waiting.ours(20 * FIRST_ATTEMPT_MS_MAX);
  const dueMs = waiting.nowMs;
  waiting.held(60_000);
  waiting.ours(FIRST_ATTEMPT_MS_MAX / 2);
  assert.equal(waiting.outcomeOf(dueMs - FIRST_ATTEMPT_MS_MAX / 2 - STEP_MS), 'late');
  assert.equal(waiting.outcomeOf(dueMs - FIRST_ATTEMPT_MS_MAX / 2 + 2 * STEP_MS), 'receiver_busy');
  assert.equal(waiting.outcomeOf(dueMs), 'receiver_busy');
  assert.equal(waiting.outcomeOf(waiting.nowMs - FIRST_ATTEMPT_MS_MAX), 'on_time');
});

test('PU2: without a hold the bound is exact', () => {
  const waiting = new Waiting();
  waiting.ours(90_000);
  assert.equal(waiting.outcomeOf(waiting.nowMs - FIRST_ATTEMPT_MS_MAX), 'on_time');
  assert.equal(waiting.outcomeOf(waiting.nowMs - FIRST_ATTEMPT_MS_MAX - 1), 'late');
});

test('checkpoints in a row with the same counts share them, and others do not', () => {
  const JANUARY_MS = Date.UTC(2027, 0, 1);
  const [one, two, more, later] = [[WALL_MS], [WALL_MS], [WALL_MS, WALL_MS], [JANUARY_MS]].map((begunAt) => {
    const { punctuality } = new Waiting();
    for (const wallMs of begunAt) punctuality.begun(0, 0, false, 0, wallMs);
    return punctuality.counted();
  });
  assert.equal(one, two);
  assert.deepEqual(one, [{ month: '2026-11-01', outcome: 'on_time', updates: 1 }]);
  assert.deepEqual(more, [{ month: '2026-11-01', outcome: 'on_time', updates: 2 }]);
  assert.deepEqual(later, [{ month: '2027-01-01', outcome: 'on_time', updates: 1 }]);
});
