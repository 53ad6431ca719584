// The race control messages that a frame brings, without those that are history: whoever joins a session late gets all of
// its messages at once.

import { upstreamUtcMs } from '#engine/source/upstream-time.ts';
import { type JsonObject, objectOf } from '../json-value.ts';
import type { MergedFrame } from './race-event-rule.ts';

const RECENT_MS = 60_000;

/** Messages that are new in this frame, whole, in the order of their numbers. */
export function recentRaceControl({ topic, changes, state, utcMs }: MergedFrame): JsonObject[] {
  if (topic !== 'RaceControlMessages') return [];
  const all = objectOf(state.topic('RaceControlMessages').Messages);
  const changed = objectOf(changes.Messages);
  const recent: JsonObject[] = [];
  for (const key of Object.keys(changed)) {
    // A correction of an earlier message changes its text, not its category.
    if (!Object.hasOwn(objectOf(changed[key]), 'Category')) continue;
    const message = objectOf(all[key]);
    const sentUtcMs = upstreamUtcMs(message.Utc);
    if (sentUtcMs === null || utcMs - sentUtcMs <= RECENT_MS) recent.push(message);
  }
  return recent;
}
