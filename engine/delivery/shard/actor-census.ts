// How all actors of a shard stand, added up. Ten thousand actors are counted a slice at a time, so that no delivery waits for
// it; actors that come or go meanwhile are counted or not.

/** An actor as the census sees it. */
export interface CountedActor {
  /** Updates in its mailbox. */
  readonly waiting: number;
  /** When the update was due that has waited longest for its first attempt; Infinity when none waits. */
  readonly waitingSinceMs: number;
  /** Deliveries that wait for a further attempt. */
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

  /** Counts up to `slice` further actors; true when all are counted. */
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
