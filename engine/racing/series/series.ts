// A series: everything that is specific to one sport. A table says where to find the facts that every payload needs.
// Lists say which topic makes which feed, and which rules emit race events.

import type Type from 'typebox';
import type { JsonObject } from '#engine/base/json-value.ts';
import type { SessionAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import type { Normalise } from '#engine/racing/normalise/normaliser.ts';
import type { OutcomeTracker } from '#engine/racing/outcome/session-outcome.ts';
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

/** How to find out which session a recording holds. */
export interface SessionNaming {
  /** The topic that describes the session. */
  readonly topic: string;
  /** Returns the description in a message of the topic; null if the message lacks something. */
  describe(message: JsonObject): SessionDescription | null;
  /** Returns the description that an id gives; null if it has another form. The first message serves as the start. */
  describeById(sessionId: string, firstUtcMs: number): SessionDescription | null;
  /** Advice: what the message must contain. */
  readonly advice: string;
  /** What an id must give: "the year and name of the session". */
  readonly idGives: string;
  /** Advice: an example of such an id. */
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
  /** Schemas of the messages, by topic, for the topics that are read. */
  readonly messages: Readonly<Record<string, Type.TSchema>>;
  readonly facts: SessionFacts;
  readonly naming: SessionNaming;
  /** Creates the rows for one session; normalisers may keep state. A frame's updates come in the order of the rows. */
  feedRows(): readonly FeedRow[];
  /** Creates the rules for one session; rules keep state. A frame's events come in this order, after its updates. */
  raceEventRules(): readonly RaceEventRule[];
  /** Creates the models for one session; null if the series has none. Their updates come last for each frame. */
  analytics(): SessionAnalytics | null;
  /** Creates the outcome tracker for one session; null if the series has no scores. */
  outcome(): OutcomeTracker | null;
}
