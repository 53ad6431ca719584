// The whole state of the subscribed topics, as an answer to Subscribe tells it and as messages that came beside it change
// it.
//
// The answer may be older than a message that came before it, or newer: the server takes the state at some moment between
// the question and the answer. Both end the same, because a message says what is, not by how much it changed: whatever a
// message wrote before the state was taken, it writes again, and later messages write over it once more, in their order.

import type { Json, JsonObject } from '#engine/base/json-value.ts';
import { MergeError, merge } from '#engine/racing/session/merge.ts';
import type { LiveMessage } from './live-source.ts';
import { stringified, unusable } from './signalr-protocol.ts';
import type { UnusableMessages } from './unusable-messages.ts';

export interface SignalrSnapshot {
  /** In the order of the subscription. */
  readonly topics: readonly LiveMessage[];
  /** Topics of which nothing is known. */
  readonly missing: readonly string[];
}

/** `kept` are messages of topics other than `.z`, in the order in which they came. */
export function snapshotOf(
  topics: Iterable<string>,
  answer: JsonObject,
  kept: readonly LiveMessage[],
  unusableMessages: UnusableMessages,
): SignalrSnapshot {
  const found: LiveMessage[] = [];
  const missing: string[] = [];
  for (const topic of topics) {
    const told = Object.hasOwn(answer, topic) ? (answer[topic] ?? undefined) : undefined;
    const changes = kept.filter((message) => message.topic === topic);
    const state = changes.length === 0 ? told : folded(told, changes, unusableMessages);
    const json = state === undefined ? null : usableText(topic, state, unusableMessages);
    if (json === null) missing.push(topic);
    else found.push({ topic, json, utcMs: null });
  }
  return { topics: found, missing };
}

function folded(
  told: Json | undefined,
  changes: readonly LiveMessage[],
  unusableMessages: UnusableMessages,
): Json | undefined {
  let state: Json | undefined;
  const fold = (message: Json, text: () => string): void => {
    try {
      state = merge(state, message).state;
    } catch (error) {
      if (!(error instanceof MergeError)) throw error;
      unusableMessages.add(error.message, text());
    }
  };
  if (told !== undefined) fold(told, () => stringified(told) ?? '');
  for (const { json } of changes) fold(JSON.parse(json) as Json, () => json);
  return state;
}

/** The state's JSON text, marked as complete; null when it can't be one. */
function usableText(topic: string, state: Json, unusableMessages: UnusableMessages): string | null {
  const isText = typeof state === 'string';
  const json = stringified(isText ? state : { ...(state as JsonObject), _kf: true });
  const reason = unusable(topic, state, json);
  if (reason === null) return json;
  unusableMessages.add(`the state of ${topic}: ${reason}`, json ?? '');
  return null;
}
