// The race control messages that are news in a frame. A connection that joins a session late gets all of its messages
// at once, and after a gap it gets the messages of the gap together: those are history.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { MergedFrame } from './race-event-rule.ts';

/** A race control message older than this is history. */
const RACE_CONTROL_RECENT_MS = 60_000;

const NONE: readonly JsonObject[] = [];

/** Returns the complete messages that are new in this frame, by ascending number. */
export function recentRaceControl({ topic, changes, state, utcMs, isSnapshot }: MergedFrame): readonly JsonObject[] {
  if (topic !== 'RaceControlMessages') return NONE;
  const all = objectOf(state.topic('RaceControlMessages').Messages);
  const changed = objectOf(changes.Messages);
  // A snapshot in which every message is new is the history at the start of a connection.
  if (isSnapshot && Object.keys(changed).length === Object.keys(all).length) return NONE;
  const recent: JsonObject[] = [];
  for (const key of Object.keys(changed)) {
    // A message without a category in its changes corrects an earlier one: corrections change the text only.
    if (!Object.hasOwn(objectOf(changed[key]), 'Category')) continue;
    const message = objectOf(all[key]);
    const sentUtcMs = upstreamUtcMs(message.Utc);
    if (sentUtcMs === null || utcMs - sentUtcMs <= RACE_CONTROL_RECENT_MS) recent.push(message);
  }
  return recent;
}
