// Makes the states of a session's feeds. The real one has a thread of its own (workers/tasks).

import { STATE_FOLD_UPDATES_MAX } from '#engine/base/limits.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { makeSnapshots, type Snapshots } from '#engine/timeline/snapshots.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface SnapshotQuestion {
  /** The same for the same updates, and for no others. */
  readonly key: string;
  readonly timeline: SharedTimeline;
  /** How many updates are in the states. */
  readonly position: number;
}

export interface StateQuestion extends SnapshotQuestion {
  readonly feedIds: readonly FeedId[];
}

export interface StateFolder {
  /**
   * Returns the states as JSON texts, without those of feeds that have none. Null if a part of the work is done: ask
   * again, so that others get their turn.
   */
  fold(question: StateQuestion): Promise<string[] | null>;
  /** Returns the snapshots of all feeds. Null as above. */
  snapshots(question: SnapshotQuestion): Promise<Snapshots | null>;
}

/** Folds on the thread that asks. */
export class FoldingHere implements StateFolder {
  readonly #states = new FoldedStates();

  async fold({ key, timeline, position, feedIds }: StateQuestion): Promise<string[] | null> {
    return this.#states.at(key, openTimeline(timeline), position, feedIds);
  }

  async snapshots({ key, timeline, position }: SnapshotQuestion): Promise<Snapshots | null> {
    return makeSnapshots(this.#states, key, openTimeline(timeline), position);
  }
}

/** How often a part of the work may be done again. */
const SPARE_PARTS = 4;

/** Asks until all of the work is done. What is kept between two parts can be lost to other sessions, so they are counted. */
export async function inParts<Made>(position: number, ask: () => Promise<Made | null>): Promise<Made> {
  const partsMax = position / STATE_FOLD_UPDATES_MAX + SPARE_PARTS;
  for (let part = 0; part < partsMax; part++) {
    const made = await ask();
    if (made !== null) return made;
  }
  throw new Error('its parts are lost before they are used');
}
