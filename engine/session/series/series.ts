// What a series is: everything about a sport that the rest does not know. A table says where the facts that every payload
// needs are found, and lists say which topic feeds which feed and which rules tell race events.

import type Type from 'typebox';
import type { SessionAnalytics } from '#engine/analytics/session-analytics.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { JsonObject } from '../json-value.ts';
import type { Normalise } from '../normalise/normaliser.ts';
import type { OutcomeWatch } from '../outcome/session-outcome.ts';
import type { RaceEventRule } from '../race-events/race-event-rule.ts';

/** A field of a topic. */
export interface FieldPlace {
  readonly topic: string;
  readonly field: string;
}

/** Where to find the facts of a session. Collections of drivers have racing numbers as keys. */
export interface SessionFacts {
  /** Who takes part. */
  readonly drivers: {
    readonly topic: string;
    readonly code: string;
    readonly team: string;
    /** Fields that are the name together, the better way first; used when all of them are there. */
    readonly names: readonly (readonly string[])[];
    /** Field with the place in the list, which stands for the position until the timing tells it; null: none. */
    readonly line: string | null;
  };
  /** Who is where. */
  readonly timing: {
    readonly topic: string;
    /** Field with the collection; null: the topic itself is the collection. */
    readonly under: string | null;
    readonly position: string;
  };
  /** The lap that the leader is on. */
  readonly lap: FieldPlace;
  /** How far the session is, and the words for it. */
  readonly status: FieldPlace & {
    readonly upcoming: readonly string[];
    readonly running: string;
    /** Over but for corrections. */
    readonly over: readonly string[];
  };
  /** What kind of session it is, and the word for one in which positions are raced for; null: all are. */
  readonly kind: (FieldPlace & { readonly race: string }) | null;
}

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

/** The topics that are read for facts, whether they feed something or not. */
export function factTopics({ drivers, timing, lap, status, kind }: SessionFacts): readonly string[] {
  return [drivers.topic, timing.topic, lap.topic, status.topic, ...(kind === null ? [] : [kind.topic])];
}
