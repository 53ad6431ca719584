// The updates of a stream's next write. Mostly it is one, which takes no list.

import type { JoinedUpdates } from './joined-updates.ts';

export class UpdateBatch {
  readonly #joined: JoinedUpdates;
  #first: Uint8Array | null = null;
  #all: Uint8Array[] | null = null;

  /** The batches of a thread share `joined`. */
  constructor(joined: JoinedUpdates) {
    this.#joined = joined;
  }

  add(update: Uint8Array): void {
    if (this.#all !== null) this.#all.push(update);
    else if (this.#first !== null) this.#all = [this.#first, update];
    else this.#first = update;
  }

  /** Empties the batch, which is not empty. The result must not be changed. */
  take(): Uint8Array {
    const bytes = this.#all === null ? this.#first! : this.#joined.join(this.#all);
    this.#first = null;
    this.#all = null;
    return bytes;
  }
}
