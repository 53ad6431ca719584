// Joins the updates that a stream sends at once, as they go over the wire. Streams that follow the same session mostly send
// the same ones, so the last result is kept: they are joined once for all of them.

export class JoinedUpdates {
  #updates: readonly Uint8Array[] = [];
  #joined: Uint8Array = new Uint8Array();

  /** Of two updates or more. They are the same if they are the same objects. The result must not be changed. */
  join(updates: readonly Uint8Array[]): Uint8Array {
    const known = this.#updates;
    if (updates.length !== known.length || updates.some((update, index) => update !== known[index])) {
      this.#updates = updates;
      this.#joined = Buffer.concat(updates);
    }
    return this.#joined;
  }
}
