// A recording of qualifying, as the models follow it.

import { QualifyingPicture } from '#engine/racing/analytics/qualifying-picture.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';

const TOPICS: ReadonlySet<string> = new Set([...QualifyingPicture.topics, 'SessionInfo', 'DriverList']);

/** `withSectors`: false leaves them out, as if the source had none. */
export function followQualifying(
  frames: readonly Frame[],
  withSectors: boolean,
  take: (merged: MergedFrame) => void,
): void {
  const state = new SessionState(seriesOf('f1').facts);
  for (const { topic, utcMs, json } of frames) {
    if (!TOPICS.has(topic)) continue;
    const message = JSON.parse(json);
    if (!withSectors)
      for (const line of Object.values(message.Lines ?? {})) delete (line as { Sectors?: unknown }).Sectors;
    const changes = state.apply(topic, message);
    if (changes === null) continue;
    take({ topic, utcMs, changes, state, isSnapshot: message._kf === true });
    const status = state.applyLoggedStatus(topic, changes);
    if (status !== null) take({ topic: 'SessionStatus', utcMs, changes: status, state, isSnapshot: false });
  }
}
