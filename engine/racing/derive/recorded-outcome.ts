// The outcome of a recorded session: its frames are merged, as for a timeline, but nothing is made of them except the few race
// events that the outcome needs, which takes a fraction of the time.

import { type Json, objectOf } from '#engine/base/json-value.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { RuleBook } from '#engine/racing/race-events/rule-book.ts';
import type { Series } from '#engine/racing/series/series.ts';
import { factTopics } from '#engine/racing/session/session-facts.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';

/** Null when the series tells none. A message that makes no sense tells nothing, as when the timeline was made. */
export function recordedOutcome(series: Series, frames: Iterable<Frame>): SessionOutcome | null {
  const watch = series.outcome();
  if (watch === null) return null;
  const state = new SessionState(series.facts);
  const rules = new RuleBook(watch.rules());
  const topics = new Set([...series.feedRows().map(({ topic }) => topic), ...factTopics(series.facts)]);
  for (const { topic, utcMs, json } of frames) {
    if (!topics.has(topic) || isCompressed(topic)) continue;
    try {
      const message = JSON.parse(json) as Json;
      const changes = state.apply(topic, message);
      if (changes === null) continue;
      const merged = { topic, utcMs, changes, state, complete: objectOf(message)._kf === true };
      watch.apply(merged, rules.apply(merged));
    } catch {}
  }
  return watch.outcome();
}
