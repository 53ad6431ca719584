// A model turns what is known of the session into the content of its feed. It is a function of the frames alone (I7):
// no clock, no randomness, no outside input. Its output changes only when the frames change something.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { QualifyingPicture } from './qualifying-picture.ts';
import type { RacePicture } from './race-picture.ts';

export type AnalyticsFeed = Extract<FeedId, `analytics.${string}`>;

/** Runs once per lap of the leader, and when racing is neutralised, when it resumes, and when a car is out. */
export interface RaceModel {
  readonly feed: AnalyticsFeed;
  /** Null: no content yet, or the same content as last time. */
  emit(picture: RacePicture, state: SessionState): Content | null;
  /** The last content, once the race is over. A model without this method emits nothing then. */
  emitFinal?(picture: RacePicture, state: SessionState): Content | null;
}

/** Runs when a driver improves or is knocked out, and when a part of qualifying starts or ends. */
export interface QualifyingModel {
  readonly feed: AnalyticsFeed;
  emit(picture: QualifyingPicture, state: SessionState): Content | null;
}
