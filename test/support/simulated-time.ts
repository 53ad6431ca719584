// A clock that stands still until the test moves it, and runs callbacks at their times, in order. Timers are kept in a
// heap. A cancelled one stays in it until its time, because a simulation creates and cancels hundreds of thousands.

import type { TimerClock } from '#engine/base/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly order: number;
  /** Null once it is cancelled. */
  callback: (() => void) | null;
}

const EPOCH_MS = Date.UTC(2026, 5, 1);

export class SimulatedTime implements TimerClock {
  #nowMs = 0;
  #wallMinusNowMs: number;
  #orders = 0;
  /** A binary heap, the earliest first. */
  readonly #heap: Timer[] = [];

  /** `startWallMs` is the wall time at the start, in Unix epoch milliseconds. */
  constructor(startWallMs = EPOCH_MS) {
    this.#wallMinusNowMs = startWallMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return Math.floor(this.#wallMinusNowMs + this.#nowMs);
  }

  /** Corrects the wall clock by `ms`; the monotonic clock stays. */
  stepWall(ms: number): void {
    this.#wallMinusNowMs += ms;
  }

  /** Advances the clock without running timers, as busy work does. */
  spend(ms: number): void {
    this.#nowMs += ms;
  }

  /** Calls back after `delayMs`. The returned function cancels that. */
  schedule(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#orders++, callback };
    this.#insert(timer);
    return () => {
      timer.callback = null;
    };
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = this.schedule(delayMs, resolve);
    const aborted = (): void => {
      cancel();
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', aborted);
    await promise.finally(() => signal?.removeEventListener('abort', aborted));
  }

  every(pauseMs: number, work: () => Promise<void>): () => void {
    let over = false;
    const wait = (): (() => void) =>
      this.schedule(pauseMs, async () => {
        await work();
        if (!over) cancel = wait();
      });
    let cancel = wait();
    return () => {
      over = true;
      cancel();
    };
  }

  /** Advances by `ms`, timer by timer, and lets promises settle in between. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    do await settle();
    while (this.#runNext(untilMs));
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Lets promises settle, then runs the next timer. Returns false when none is due until `untilMs`. */
  async step(untilMs: number): Promise<boolean> {
    await settle();
    return this.#runNext(untilMs);
  }

  #runNext(untilMs: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) return false;
      this.#removeFirst();
      const { callback } = next;
      if (callback === null) continue;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      callback();
      return true;
    }
  }

  #insert(timer: Timer): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(timer);
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (isBefore(heap[parent]!, timer)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = timer;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/**
 * Lets promises settle until none is ready. The test runner follows each promise, which costs more than the engine's work,
 * so this makes one: a tick comes when no promise is ready.
 */
function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
