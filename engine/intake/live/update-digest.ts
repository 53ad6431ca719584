// A rolling digest of the bodies that a live session has published, to compare what several nodes made of the same frames.

import { createHash } from 'node:crypto';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';

export class UpdateDigest {
  readonly #hash = createHash('sha256');
  readonly #starts: Uint32Array;
  readonly #bodies: Uint8Array;
  #bytes = 0;

  constructor({ columns }: LiveMemory) {
    this.#starts = new Uint32Array(columns.bodyStart);
    this.#bodies = new Uint8Array(columns.bodies);
  }

  /** Of the first `updates`, which are published. They never decrease. */
  of(updates: number): Buffer {
    const end = this.#starts[updates]!;
    if (end > this.#bytes) this.#hash.update(this.#bodies.subarray(this.#bytes, end));
    this.#bytes = end;
    return this.#hash.copy().digest();
  }
}
