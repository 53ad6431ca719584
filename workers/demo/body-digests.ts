// The bodies of updates by sequence, as digests: what came over different ways is compared byte for byte.

import { hash } from 'node:crypto';

export class BodyDigests {
  readonly #bySequence = new Map<number, string>();

  add(sequence: number, body: Uint8Array): void {
    this.#bySequence.set(sequence, hash('sha256', body, 'base64'));
  }

  /** How many of these bodies, up to and including sequence `end`, the other has otherwise or not at all. */
  differing(other: BodyDigests, end: number): number {
    let count = 0;
    for (const [sequence, digest] of this.#bySequence) {
      if (sequence <= end && other.#bySequence.get(sequence) !== digest) count++;
    }
    return count;
  }
}
