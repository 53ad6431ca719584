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
  readonly #pace: RefusalPace;
  readonly #timers = new Map<object, { readonly dueMs: number; readonly callback: () => void }>();
  #nowMs = 0;

  constructor() {
    this.#pace = new RefusalPace({
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
    for (let refusal = 0; refusal < count; refusal++) this.#pace.answer(address, () => sent.push(this.#nowMs));
  }

  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    const due = [...this.#timers].filter(([, { dueMs }]) => dueMs <= untilMs);
    for (const [key, { dueMs, callback }] of due.sort(([, a], [, b]) => a.dueMs - b.dueMs)) {
      this.#nowMs = dueMs;
      this.#timers.delete(key);
      callback();
    }
    this.#nowMs = untilMs;
  }

  hurry(): void {
    this.#pace.hurry();
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

test('a refusal that would wait too long is sent at once, and so is one when too many wait', () => {
  const refusals = new Refusals();
  const waiting = REFUSAL_WAIT_MS_MAX / REFUSAL_EVERY_MS;
  refusals.refuse('flood', ADDRESS_REFUSALS_AT_ONCE_MAX + waiting + 7);
  assert.equal(refusals.sentAtMs.flood!.length, ADDRESS_REFUSALS_AT_ONCE_MAX + 7);
  for (let address = 0; address <= REFUSALS_WAITING_MAX / waiting; address++)
    refusals.refuse(`address ${address}`, ADDRESS_REFUSALS_AT_ONCE_MAX + waiting);
  refusals.refuse('last', ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
  assert.equal(refusals.sentAtMs.last!.length, ADDRESS_REFUSALS_AT_ONCE_MAX + 1);
});

test('at the end all that wait are sent once, and none waits any more', () => {
  const refusals = new Refusals();
  refusals.refuse('flood', 2 * ADDRESS_REFUSALS_AT_ONCE_MAX);
  refusals.hurry();
  refusals.refuse('flood', 1);
  refusals.pass(REFUSAL_WAIT_MS_MAX);
  assert.deepEqual(refusals.sentAtMs.flood, Array(2 * ADDRESS_REFUSALS_AT_ONCE_MAX + 1).fill(0));
});
