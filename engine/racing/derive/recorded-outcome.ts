// The outcome of a recorded session. Merges the frames as for a timeline, but derives only the few race events that the
// outcome needs. That takes a fraction of the time.

import { type Json, objectOf } from '#engine/base/json-value.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { RuleBook } from '#engine/racing/race-events/rule-book.ts';
import type { Series } from '#engine/racing/series/series.ts';
import { factTopics } from '#engine/racing/session/session-facts.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';

/** Returns null if the series has no outcome. Skips invalid messages, as the timeline does. */
export function recordedOutcome(series: Series, frames: Iterable<Frame>): SessionOutcome | null {
  const tracker = series.outcome();
  if (tracker === null) return null;
  const state = new SessionState(series.facts);
  const rules = new RuleBook(tracker.rules());
  const topics = new Set([...series.feedRows().map(({ topic }) => topic), ...factTopics(series.facts)]);
  const follow = (merged: MergedFrame): void => tracker.apply(merged, rules.apply(merged));
  for (const { topic, utcMs, json } of frames) {
    if (!topics.has(topic) || isCompressed(topic)) continue;
    try {
      const message = JSON.parse(json) as Json;
      const changes = state.apply(topic, message);
      if (changes === null) continue;
      follow({ topic, utcMs, changes, state, isSnapshot: objectOf(message)._kf === true });
      const status = state.applyLoggedStatus(topic, changes);
      if (status === null) continue;
      follow({ topic: series.facts.status.topic, utcMs, changes: status, state, isSnapshot: false });
    } catch {}
  }
  return tracker.outcome();
}
