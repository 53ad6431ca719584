// The race control messages that a frame brings, without those that are history: whoever joins a session late gets all of
// its messages at once, and after a gap those of the gap come together.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { MergedFrame } from './race-event-rule.ts';

/** A message of race control older than this is history. */
const RACE_CONTROL_RECENT_MS = 60_000;

const NONE: readonly JsonObject[] = [];

/** Messages that are new in this frame, whole, in the order of their numbers. */
export function recentRaceControl({ topic, changes, state, utcMs, complete }: MergedFrame): readonly JsonObject[] {
  if (topic !== 'RaceControlMessages') return NONE;
  const all = objectOf(state.topic('RaceControlMessages').Messages);
  const changed = objectOf(changes.Messages);
  // A complete state of which everything is new is what there was when the connection began.
  if (complete && Object.keys(changed).length === Object.keys(all).length) return NONE;
  const recent: JsonObject[] = [];
  for (const key of Object.keys(changed)) {
    // A correction of an earlier message changes its text, not its category.
    if (!Object.hasOwn(objectOf(changed[key]), 'Category')) continue;
    const message = objectOf(all[key]);
    const sentUtcMs = upstreamUtcMs(message.Utc);
    if (sentUtcMs === null || utcMs - sentUtcMs <= RACE_CONTROL_RECENT_MS) recent.push(message);
  }
  return recent;
}
