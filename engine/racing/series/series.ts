// What a series is: everything about a sport that the rest does not know. A table says where the facts that every payload
// needs are found, and lists say which topic feeds which feed and which rules tell race events.

import type Type from 'typebox';
import type { JsonObject } from '#engine/base/json-value.ts';
import type { SessionAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import type { Normalise } from '#engine/racing/normalise/normaliser.ts';
import type { OutcomeWatch } from '#engine/racing/outcome/session-outcome.ts';
import type { RaceEventRule } from '#engine/racing/race-events/race-event-rule.ts';
import type { SessionFacts } from '#engine/racing/session/session-facts.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface SessionDescription {
  /** `2018-azerbaijan-race`, `2025-miami-sprint`, `2024-britain-practice-1`. */
  readonly sessionId: string;
  readonly seriesId: string;
  readonly name: string;
  readonly type: string;
  readonly circuitName: string;
  readonly season: number;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
}

/** How it is found out which session a recording holds. */
export interface SessionNaming {
  /** The topic that says it. */
  readonly topic: string;
  /** What a message of it says; null when that is not enough. */
  describe(message: JsonObject): SessionDescription | null;
  /** What an id that somebody gives tells; null when it is of another form. The first message stands in for the start. */
  describeById(sessionId: string, firstUtcMs: number): SessionDescription | null;
  /** What such a message must have, as advice. */
  readonly advice: string;
  /** What an id must tell when it is all there is: "year and name of the session". */
  readonly idTells: string;
  /** An example of such an id, as advice. */
  readonly idAdvice: string;
}

export interface FeedRow {
  readonly topic: string;
  readonly feed: Exclude<FeedId, 'events.race' | `analytics.${string}`>;
  readonly normalise: Normalise;
}

export interface Series {
  readonly seriesId: string;
  readonly name: string;
  /** The messages of its topics, for those from which something is made. */
  readonly messages: Readonly<Record<string, Type.TSchema>>;
  readonly facts: SessionFacts;
  readonly naming: SessionNaming;
  /** Of one session: normalisers may remember what they told. A frame's updates come in the order of these rows. */
  feedRows(): readonly FeedRow[];
  /** Of one session: rules remember what they need. A frame's events come in this order, after its other updates. */
  raceEventRules(): readonly RaceEventRule[];
  /** Of one session; null: the series has none. What a frame gives them to say comes last. */
  analytics(): SessionAnalytics | null;
  /** Of one session; null: the series has no scores to make of it. */
  outcome(): OutcomeWatch | null;
}
