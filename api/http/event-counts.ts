// Counts events of the last minutes, for limits that must be exact: in the memory of a service alone, in the database of a
// cluster, where any node may see the next one.

import type { Rate } from './recent-events.ts';

/** What is limited. No two limits have the same name. */
export interface CountedLimit {
  readonly name: string;
  readonly rate: Rate;
}

/** An event to be counted. */
export interface Wish {
  readonly limit: CountedLimit;
  /** For whom it counts. */
  readonly key: string;
  /** It is counted whatever the limit says. */
  readonly always?: true;
}

export type Taken =
  /** `discount` takes the events back, so that they do not count any more. */
  | { readonly kind: 'counted'; readonly discount: () => Promise<void> }
  /** The first wish whose key has had as many events as may be, and how long until it has room. */
  | { readonly kind: 'full'; readonly wish: Wish; readonly waitMs: number };

export interface EventCounts {
  /** Counts one event for each wish, or none if a key is full. Takes of one key come one after the other. */
  take(wishes: readonly Wish[]): Promise<Taken>;
}
