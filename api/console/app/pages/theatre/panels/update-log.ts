// The last updates as they came, for those who build on them.

import type { Fold, ShownUpdate } from '../show/fold.ts';
import { Ring } from './ring.ts';

const UPDATES_MAX = 100;
/** Of each feed: timing would soon push everything else out. */
const UPDATES_OF_FEED_MAX = 10;
const FEEDS_MAX = 50;

export class UpdateLog implements Fold {
  /** Counts updates. */
  version = 0;
  readonly #all = new Ring<ShownUpdate>(UPDATES_MAX);
  #byFeed = new Map<string, Ring<ShownUpdate>>();

  reset(): void {
    this.#all.clear();
    this.#byFeed = new Map();
    this.version++;
  }

  rewind(toMs: number): void {
    for (const ring of [this.#all, ...this.#byFeed.values()]) ring.keep(({ atMs }) => atMs <= toMs);
    this.version++;
  }

  take(update: ShownUpdate): void {
    if (update.isState) return;
    this.version++;
    this.#all.push(update);
    let ring = this.#byFeed.get(update.feed);
    if (ring === undefined) {
      if (this.#byFeed.size === FEEDS_MAX) return;
      ring = new Ring(UPDATES_OF_FEED_MAX);
      this.#byFeed.set(update.feed, ring);
    }
    ring.push(update);
  }

  /** Feeds with an update so far, by name. */
  feeds(): readonly string[] {
    return [...this.#byFeed.keys()].sort();
  }

  /** The newest first; null: of every feed. */
  newest(count: number, feed: string | null): readonly ShownUpdate[] {
    const ring = feed === null ? this.#all : this.#byFeed.get(feed);
    return ring?.newest(count) ?? [];
  }
}
