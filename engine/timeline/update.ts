// An update: what one frame changed in one feed, normalised. Normalisers, rules and models make it; the timeline
// numbers it.

import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';

/** A driver that an update touches, with the race position at that moment; 0 if unknown. */
export interface TouchedDriver {
  readonly number: string;
  readonly position: number;
}

export interface Update {
  readonly feed: FeedId;
  /** Unix epoch milliseconds, the upstream's time of the frame. */
  readonly utcMs: number;
  readonly lap: number | null;
  /** Set for updates of `events.race`, null for all others. */
  readonly eventType: RaceEventType | null;
  readonly touched: readonly TouchedDriver[];
  /** The payload without its envelope: `{ drivers }`, `{ data }`, or `{ event, data, drivers }`. */
  readonly content: Readonly<Record<string, unknown>>;
}
