// Joins the events that a stream sends at once. Streams that follow the same session mostly send the same ones, so the last
// result is kept: they are joined once for all of them.

export class JoinedEvents {
  #events: readonly Uint8Array[] = [];
  #joined: Uint8Array = new Uint8Array();

  /** Events are the same if they are the same objects. The result must not be changed. */
  join(events: readonly Uint8Array[]): Uint8Array {
    if (events.length === 1) return events[0]!;
    const known = this.#events;
    if (events.length !== known.length || events.some((event, index) => event !== known[index])) {
      this.#events = events;
      this.#joined = Buffer.concat(events);
    }
    return this.#joined;
  }
}
