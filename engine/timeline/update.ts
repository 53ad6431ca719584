// An update: what one frame changed, normalised, in one feed. The session stage makes it, the timeline numbers it.

import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';

/** A driver that an update touches, with the race position at that moment (0: not known). */
export interface TouchedDriver {
  readonly number: string;
  readonly position: number;
}

export interface Update {
  readonly feed: FeedId;
  /** Unix epoch milliseconds at which the upstream said it. */
  readonly utcMs: number;
  readonly lap: number | null;
  /** Set exactly for updates of `events.race`. */
  readonly eventType: RaceEventType | null;
  readonly touched: readonly TouchedDriver[];
  /** What the payload carries besides the envelope: `{ drivers }`, `{ data }`, or `{ event, data, drivers }`. */
  readonly content: Readonly<Record<string, unknown>>;
}
