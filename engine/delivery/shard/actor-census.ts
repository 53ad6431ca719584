// Adds up the gauges of all actors of a shard. Ten thousand actors are counted a slice at a time, so that no delivery
// waits for the count. Actors that come or go in the meantime may or may not be counted.

/** An actor as the census sees it. */
export interface CountedActor {
  /** Updates in its mailbox. */
  readonly waiting: number;
  /** The due time of the update that has waited longest for its first attempt; Infinity when none waits. */
  readonly waitingSinceMs: number;
  /** Deliveries that wait for a retry. */
  readonly retrying: number;
  readonly breakerOpen: boolean;
}

export class ActorCensus {
  actors = 0;
  mailbox = 0;
  mailboxMost = 0;
  queuedSinceMs = Number.POSITIVE_INFINITY;
  retrying = 0;
  breakersOpen = 0;
  readonly #left: Iterator<CountedActor>;

  constructor(actors: Iterable<CountedActor>) {
    this.#left = actors[Symbol.iterator]();
  }

  /** Counts up to `slice` more actors. Returns true once all are counted. */
  count(slice: number): boolean {
    for (let counted = 0; counted < slice; counted++) {
      const { done, value: actor } = this.#left.next();
      if (done === true) return true;
      this.actors++;
      this.mailbox += actor.waiting;
      this.mailboxMost = Math.max(this.mailboxMost, actor.waiting);
      this.queuedSinceMs = Math.min(this.queuedSinceMs, actor.waitingSinceMs);
      this.retrying += actor.retrying;
      if (actor.breakerOpen) this.breakersOpen++;
    }
    return false;
  }
}
