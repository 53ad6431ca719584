// The updates of a stream's next write. Mostly it is one, which is not copied.

export class UpdateBatch {
  #updates: Uint8Array[] = [];

  add(update: Uint8Array): void {
    this.#updates.push(update);
  }

  /** Empties the batch, which is not empty. The result must not be changed. */
  take(): Uint8Array {
    const updates = this.#updates;
    this.#updates = [];
    return updates.length === 1 ? updates[0]! : Buffer.concat(updates);
  }
}
