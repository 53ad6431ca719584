// Pauses before further tries: each is twice the one before, from the first up to the longest.

import { assert } from './assert.ts';

export class Backoff {
  readonly #firstMs: number;
  readonly #mostMs: number;

  constructor(firstMs: number, mostMs: number) {
    assert(firstMs > 0 && firstMs <= mostMs, 'pauses grow');
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  /** After a failure that so many others in a row came before. */
  pauseMs(failuresBefore: number): number {
    return Math.min(this.#firstMs * 2 ** failuresBefore, this.#mostMs);
  }
}
