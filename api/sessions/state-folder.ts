// Makes the states of a session's feeds. The real one has a thread of its own (workers/tasks).

import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface StateQuestion {
  /** The same for the same updates, and for no others. */
  readonly key: string;
  readonly timeline: SharedTimeline;
  /** How many updates are in the states. */
  readonly position: number;
  readonly feedIds: readonly FeedId[];
}

export interface StateFolder {
  /**
   * Returns the states as JSON texts, without those of feeds that have none. Null if a part of the work is done: ask
   * again, so that others get their turn.
   */
  fold(question: StateQuestion): Promise<string[] | null>;
}

/** Folds on the thread that asks. */
export class FoldingHere implements StateFolder {
  readonly #states = new FoldedStates();

  async fold({ key, timeline, position, feedIds }: StateQuestion): Promise<string[] | null> {
    return this.#states.at(key, openTimeline(timeline), position, feedIds);
  }
}
