// What streams of one timeline send in one turn. Streams of one run mostly have the same filters and stand at the same place, so it
// is matched, encoded and joined once for all of them.
//
// TS1 A share is the same for all streams that ask for it: its filter is shared by those with the same feeds (holdFilter).
// TS2 A few shares are kept, whatever the number of streams. One that is gone is made again.

import { STREAM_SHARES_MAX, STREAM_TURN_BYTES, STREAM_TURN_UPDATES_MAX } from '#engine/base/limits.ts';
import type { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';

export interface TurnShare {
  readonly filter: CompiledFilter;
  /** It was asked for from this position to before `due`. */
  readonly from: number;
  readonly due: number;
  /** The first position that it does not reach: less than `due` if a turn is full (ST5). */
  readonly until: number;
  readonly updates: number;
  /** Its updates as they go over the wire; empty if it has none. */
  readonly bytes: Uint8Array;
  /** Feeds by number, each followed by how many of the updates are its own. */
  readonly feeds: readonly number[];
}

const NOTHING = new Uint8Array();

export interface SharedUpdates {
  feedOf(position: number): number;
  encoded(position: number): Uint8Array;
}

export class TurnShares {
  readonly #updates: SharedUpdates;
  /** The last ones (TS2). */
  readonly #shares: TurnShare[] = [];
  #next = 0;

  constructor(updates: SharedUpdates) {
    this.#updates = updates;
  }

  share(filter: CompiledFilter, from: number, due: number): TurnShare {
    for (const share of this.#shares)
      if (share.from === from && share.due === due && share.filter === filter) return share;
    const share = this.#made(filter, from, due);
    this.#shares[this.#next] = share;
    this.#next = (this.#next + 1) % STREAM_SHARES_MAX;
    return share;
  }

  #made(filter: CompiledFilter, from: number, due: number): TurnShare {
    const end = Math.min(due, from + STREAM_TURN_UPDATES_MAX);
    const all: Uint8Array[] = [];
    const feeds: number[] = [];
    let bytes = 0;
    let until = from;
    while (until < end && bytes < STREAM_TURN_BYTES) {
      const position = until++;
      if (!filter.matches(position)) continue;
      const update = this.#updates.encoded(position);
      all.push(update);
      bytes += update.length;
      count(feeds, this.#updates.feedOf(position));
    }
    const joined = all.length > 1 ? Buffer.concat(all, bytes) : (all[0] ?? NOTHING);
    return { filter, from, due, until, updates: all.length, bytes: joined, feeds };
  }
}

function count(feeds: number[], feed: number): void {
  for (let at = 0; at < feeds.length; at += 2) {
    if (feeds[at] !== feed) continue;
    feeds[at + 1]!++;
    return;
  }
  feeds.push(feed, 1);
}
