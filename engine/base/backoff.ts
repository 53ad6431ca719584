// Exponential backoff: each pause is twice the one before, from the first up to the longest.

import { assert } from './assert.ts';

export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;

  constructor(firstMs: number, longestMs: number) {
    assert(firstMs > 0 && firstMs <= longestMs, 'the first pause is positive and not above the longest');
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** The pause after a failure. `failuresBefore` counts the failures in a row before it. */
  pauseMs(failuresBefore: number): number {
    return Math.min(this.#firstMs * 2 ** failuresBefore, this.#longestMs);
  }
}
