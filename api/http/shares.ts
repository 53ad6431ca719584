// Limits how much of something each holder may have at once, so that one of them cannot take all of it.

import { assert } from '#engine/base/assert.ts';

export class Shares {
  readonly #max: number;
  /** Holders of at least one. */
  readonly #held = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes one. Returns false, and takes nothing, if the holder has as many as it may have. */
  take(holder: string): boolean {
    const held = this.#held.get(holder) ?? 0;
    if (held >= this.#max) return false;
    this.#held.set(holder, held + 1);
    return true;
  }

  /** Gives one back. */
  give(holder: string): void {
    const held = this.#held.get(holder);
    assert(held !== undefined, 'only what was taken is given back');
    if (held === 1) this.#held.delete(holder);
    else this.#held.set(holder, held - 1);
  }
}
