// Feeds a race to the models' picture frame by frame, as the deriver does.

import type { JsonObject } from '#engine/base/json-value.ts';
import { RacePicture } from '#engine/racing/analytics/race-picture.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';

const TOPICS = new Set(RacePicture.topics);

/** Calls back after each frame that the picture uses, and says whether the leader has started a new lap. */
export function followRace(
  frames: Iterable<Frame>,
  onFrame: (picture: RacePicture, state: SessionState, isNewLap: boolean) => void = () => {},
): RacePicture {
  const picture = new RacePicture();
  const state = new SessionState(F1.facts);
  let lap: number | null = null;
  for (const { topic, utcMs, json } of frames) {
    if (isCompressed(topic)) continue;
    const changes = state.apply(topic, JSON.parse(json) as JsonObject);
    if (changes === null || !TOPICS.has(topic)) continue;
    picture.apply({ topic, utcMs, changes, state, isSnapshot: false });
    onFrame(picture, state, picture.lap !== lap);
    lap = picture.lap;
  }
  return picture;
}
