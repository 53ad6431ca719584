// A first-in-first-out queue of whole numbers in a typed array. It starts without memory, doubles as it fills and never
// grows beyond its bound (I2). Ten thousand idle queues therefore cost next to nothing.

import { assert } from './assert.ts';

const FIRST_CAPACITY = 8;
const EMPTY = new Uint32Array(0);

export class RingBuffer {
  readonly #capacityMax: number;
  #slots = EMPTY;
  #head = 0;
  #length = 0;

  /** `capacityMax` is a power of two of at least 8. */
  constructor(capacityMax: number) {
    assert(
      capacityMax >= FIRST_CAPACITY && (capacityMax & (capacityMax - 1)) === 0,
      'the capacity is a power of two of at least 8',
    );
    this.#capacityMax = capacityMax;
  }

  get length(): number {
    return this.#length;
  }

  get full(): boolean {
    return this.#length === this.#capacityMax;
  }

  push(value: number): void {
    assert(!this.full, 'a full ring buffer accepts no value');
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = value;
    this.#length++;
  }

  /** The oldest value, left in place. */
  peek(): number {
    assert(this.#length > 0, 'there is a value to peek at');
    return this.#slots[this.#head]!;
  }

  /** Removes and returns the oldest value. */
  shift(): number {
    const value = this.peek();
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    return value;
  }

  #grow(): void {
    const wider = new Uint32Array(Math.max(FIRST_CAPACITY, this.#slots.length * 2));
    for (let i = 0; i < this.#length; i++) wider[i] = this.#slots[(this.#head + i) & (this.#slots.length - 1)]!;
    this.#slots = wider;
    this.#head = 0;
  }
}
