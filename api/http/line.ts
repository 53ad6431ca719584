// What waits in order, the oldest first. Taking one costs the same however many wait, and what was taken is let go of, also
// while a line never becomes empty.

import { assert } from '#engine/base/assert.ts';

/** Places that are empty before the others move up. */
const EMPTY_PLACES_MAX = 1_024;

export class Line<Item extends object | string> {
  #places: (Item | null)[] = [];
  #taken = 0;

  get length(): number {
    return this.#places.length - this.#taken;
  }

  push(item: Item): void {
    this.#places.push(item);
  }

  /** The oldest one, which stays. */
  first(): Item {
    assert(this.length > 0, 'something waits');
    return this.#places[this.#taken]!;
  }

  /** Removes and returns the oldest one. */
  take(): Item {
    const item = this.first();
    this.#places[this.#taken++] = null;
    if (this.#taken >= EMPTY_PLACES_MAX && this.#taken >= this.length) {
      this.#places = this.#places.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
