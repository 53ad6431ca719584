// The timer wheel of a shard: deadlines and retry delays of all its actors. A timer starts and is cancelled in constant
// time and without allocation, because it is a field of the delivery that it belongs to.
//
// A slot is a doubly linked list of the timers of one tick. A bitmap over the slots finds the next tick with timers. A
// timer never fires early (I4), and at most two ticks late. The wheel spans more than the longest delay (limits.ts), so
// a slot normally holds the timers of one tick only. After a stall of the whole thread, a timer that starts before the
// wheel has advanced may be due a full round later; it stays in its slot until then.

import { assert } from './assert.ts';
import { TIMER_SLOTS, TIMER_TICK_MS } from './limits.ts';

/** A timer with its owner. `tick` is -1 while it is not running. */
export class Timer<Owner> {
  readonly owner: Owner;
  tick = -1;
  previous: Timer<Owner> | null = null;
  next: Timer<Owner> | null = null;

  constructor(owner: Owner) {
    this.owner = owner;
  }

  get running(): boolean {
    return this.tick !== -1;
  }
}

const MASK = TIMER_SLOTS - 1;

export class TimerWheel<Owner> {
  readonly #slots: (Timer<Owner> | null)[] = new Array(TIMER_SLOTS).fill(null);
  readonly #occupied = new Uint32Array(TIMER_SLOTS / 32);
  #tick: number;
  #running = 0;

  /** `nowMs` is the start of the wheel's time, from the same clock as in all later calls. */
  constructor(nowMs: number) {
    this.#tick = Math.floor(nowMs / TIMER_TICK_MS);
  }

  get running(): number {
    return this.#running;
  }

  /** Starts a timer that fires at the first tick at or after `dueMs`. */
  start(timer: Timer<Owner>, dueMs: number): void {
    assert(!timer.running, 'a running timer is not started again');
    const tick = Math.max(Math.ceil(dueMs / TIMER_TICK_MS), this.#tick + 1);
    assert(Number.isSafeInteger(tick), 'a timer has a finite due time');
    const slot = tick & MASK;
    const first = this.#slots[slot]!;
    timer.tick = tick;
    timer.previous = null;
    timer.next = first;
    if (first !== null) first.previous = timer;
    this.#slots[slot] = timer;
    this.#occupied[slot >>> 5]! |= 1 << (slot & 31);
    this.#running++;
  }

  cancel(timer: Timer<Owner>): void {
    if (!timer.running) return;
    const slot = timer.tick & MASK;
    if (timer.previous === null) this.#slots[slot] = timer.next;
    else timer.previous.next = timer.next;
    if (timer.next !== null) timer.next.previous = timer.previous;
    if (this.#slots[slot] === null) this.#occupied[slot >>> 5]! &= ~(1 << (slot & 31));
    timer.tick = -1;
    timer.previous = null;
    timer.next = null;
    this.#running--;
  }

  /** Fires all timers that are due at `nowMs`, tick by tick. The callback may start and cancel timers. */
  advance(nowMs: number, fire: (owner: Owner) => void): void {
    const target = Math.floor(nowMs / TIMER_TICK_MS);
    while (this.#tick < target) {
      const next = this.#nextTick();
      if (next === null || next > target) {
        this.#tick = target;
        return;
      }
      this.#tick = next;
      let timer: Timer<Owner> | null = this.#slots[next & MASK]!;
      while (timer !== null) {
        if (timer.tick > next) {
          timer = timer.next;
          continue;
        }
        this.cancel(timer);
        fire(timer.owner);
        // The callback may have changed the slot.
        timer = this.#slots[next & MASK]!;
      }
    }
  }

  /** When the next timer is due, in milliseconds of the wheel's clock; Infinity when none is running. */
  nextDueMs(): number {
    const next = this.#nextTick();
    return next === null ? Number.POSITIVE_INFINITY : next * TIMER_TICK_MS;
  }

  #nextTick(): number | null {
    if (this.#running === 0) return null;
    const words = this.#occupied.length;
    const from = (this.#tick + 1) & MASK;
    for (let i = 0; i <= words; i++) {
      const word = ((from >>> 5) + i) & (words - 1);
      let bits = this.#occupied[word]!;
      if (i === 0) bits &= -1 << (from & 31);
      if (i === words) bits &= ~(-1 << (from & 31));
      if (bits === 0) continue;
      const slot = (word << 5) + (31 - Math.clz32(bits & -bits));
      return this.#tick + 1 + ((slot - from) & MASK);
    }
    return null;
  }
}
