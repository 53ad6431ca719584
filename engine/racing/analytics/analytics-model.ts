// What a model is: from what is known of the session it makes the content of its feed. A function of the frames alone (I7):
// no clock, no chance, nothing from outside. What it tells changes only when something in the frames changed.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { QualifyingPicture } from './qualifying-picture.ts';
import type { RacePicture } from './race-picture.ts';

export type AnalyticsFeed = Extract<FeedId, `analytics.${string}`>;

/** Tells once a lap of the leader, and when cars may no longer race, may race again, or are out. */
export interface RaceModel {
  readonly feed: AnalyticsFeed;
  /** Null: nothing can be said, or nothing that was not said before. */
  emit(picture: RacePicture, state: SessionState): Content | null;
  /** What it tells once the race is over; without it, nothing. */
  emitFinal?(picture: RacePicture, state: SessionState): Content | null;
}

/** Tells when a driver has improved, or a segment has begun or ended. */
export interface QualifyingModel {
  readonly feed: AnalyticsFeed;
  emit(picture: QualifyingPicture, state: SessionState): Content | null;
}
