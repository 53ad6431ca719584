import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusalPace } from '#api/http/refusal-pace.ts';
import {
  ADDRESS_REFUSALS_AT_ONCE_MAX,
  REFUSAL_EVERY_MS,
  REFUSAL_WAIT_MS_MAX,
  REFUSALS_WAITING_MAX,
} from '#engine/base/limits.ts';

/** Refusals by address, with the time of each, on a clock that is set by hand. */
class Refusals {
  readonly sentAtMs: Record<string, number[]> = {};
  readonly #pace: RefusalPace<number[]>;
  readonly #timers = new Map<object, { readonly dueMs: number; readonly callback: () => void }>();
  #nowMs = 0;

  constructor() {
    this.#pace = new RefusalPace((sent) => sent.push(this.#nowMs), {
      nowMs: () => this.#nowMs,
      schedule: (delayMs, callback) => {
        const key = {};
        this.#timers.set(key, { dueMs: this.#nowMs + delayMs, callback });
        return () => this.#timers.delete(key);
      },
    });
  }

  refuse(address: string, count: number): void {
    this.sentAtMs[address] ??= [];
    const sent = this.sentAtMs[address];
    for (let refusal = 0; refusal < count; refusal++) this.#pace.answer(address, sent);
  }

  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#nextUntil(untilMs); next !== null; next = this.#nextUntil(untilMs)) {
      this.#nowMs = next.dueMs;
      next.callback();
    }
    this.#nowMs = untilMs;
  }

  hurry(): void {
    this.#pace.hurry();
  }

  /** Removes and returns the earliest timer that is due by then. */
  #nextUntil(untilMs: number): { readonly dueMs: number; readonly callback: () => void } | null {
    const [earliest] = [...this.#timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
    if (earliest === undefined || earliest[1].dueMs > untilMs) return null;
    this.#timers.delete(earliest[0]);
    return earliest[1];
  }
}

test('the first refusals of an address are sent at once, further ones one after the other, others wait for none', () => {
  const refusals = new Refusals();
  refusals.pass(12_345);
  refusals.refuse('flood', ADDRESS_REFUSALS_AT_ONCE_MAX + 3);
  refusals.refuse('other', 1);
  assert.deepEqual(refusals.sentAtMs.flood, Array(ADDRESS_REFUSALS_AT_ONCE_MAX).fill(12_345));
  assert.deepEqual(refusals.sentAtMs.other, [12_345]);
  refusals.pass(1_000);
  const later = refusals.sentAtMs.flood!.slice(ADDRESS_REFUSALS_AT_ONCE_MAX);
  assert.deepEqual(
    later,
    [1, 2, 3].map((place) => 12_345 + place * REFUSAL_EVERY_MS),
  );
});

test('an address that is refused no longer gets its refusals at once again', () => {
  const refusals = new Refusals();
  refusals.refuse('flood', 2 * ADDRESS_REFUSALS_AT_ONCE_MAX);
  refusals.pass(2 * ADDRESS_REFUSALS_AT_ONCE_MAX * REFUSAL_EVERY_MS);
  refusals.refuse('flood', ADDRESS_REFUSALS_AT_ONCE_MAX);
  assert.equal(refusals.sentAtMs.flood!.length, 3 * ADDRESS_REFUSALS_AT_ONCE_MAX);
});

test('thousands of refusals that are caused at one moment are sent a few at a time, and none waits longer than it may', () => {
  const refusals = new Refusals();
  const flood = 4_100;
  refusals.refuse('flood', flood);
  assert.equal(refusals.sentAtMs.flood!.length, ADDRESS_REFUSALS_AT_ONCE_MAX);
  refusals.pass(REFUSAL_WAIT_MS_MAX);
  assert.equal(refusals.sentAtMs.flood!.length, flood);
  const atMs = Map.groupBy(refusals.sentAtMs.flood!.slice(ADDRESS_REFUSALS_AT_ONCE_MAX), (ms) => ms);
  const most = Math.max(...[...atMs.values()].map((sent) => sent.length));
  assert.equal(most, Math.ceil((flood - ADDRESS_REFUSALS_AT_ONCE_MAX) / (REFUSAL_WAIT_MS_MAX / REFUSAL_EVERY_MS)));
});

test('none waits longer than it may while more come, nor do those that come last', () => {
  const refusals = new Refusals();
  const refusedAtMs: number[] = [];
  for (let batch = 0; batch < 100; batch++) {
    refusals.refuse('flood', 40);
    refusedAtMs.push(...Array(40).fill(batch * 100));
    refusals.pass(100);
  }
  refusals.pass(REFUSAL_WAIT_MS_MAX);
  const { flood } = refusals.sentAtMs;
  assert.equal(flood!.length, refusedAtMs.length);
  const waitedMs = Math.max(...flood!.map((ms, place) => ms - refusedAtMs[place]!));
  assert.ok(waitedMs <= REFUSAL_WAIT_MS_MAX, `${waitedMs} ms`);
});

test('a refusal is sent at once when too many wait', () => {
  const refusals = new Refusals();
  refusals.refuse('flood', ADDRESS_REFUSALS_AT_ONCE_MAX + REFUSALS_WAITING_MAX);
  refusals.refuse('last', ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
  assert.equal(refusals.sentAtMs.last!.length, ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
  refusals.pass(REFUSAL_WAIT_MS_MAX);
  refusals.refuse('last', ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
  assert.equal(refusals.sentAtMs.last!.length, 2 * ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
});

test('at the end all that wait are sent once, and none waits any more', () => {
  const refusals = new Refusals();
  refusals.refuse('flood', 2 * ADDRESS_REFUSALS_AT_ONCE_MAX);
  refusals.hurry();
  refusals.refuse('flood', 1);
  refusals.pass(REFUSAL_WAIT_MS_MAX);
  assert.deepEqual(refusals.sentAtMs.flood, Array(2 * ADDRESS_REFUSALS_AT_ONCE_MAX + 1).fill(0));
});
