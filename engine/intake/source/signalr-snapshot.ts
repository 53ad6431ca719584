// Builds the snapshot of the subscribed topics from the result of Subscribe and the messages that arrived before it.
//
// The server takes the state at some moment between the call and its result. So the result may be older or newer than a
// message that arrived before it. Both merge to the same snapshot, because messages hold absolute values, not
// differences: a message that the result already contains writes the same values again, and later messages overwrite
// them in order.

import type { Json, JsonObject } from '#engine/base/json-value.ts';
import { MergeError, merge } from '#engine/racing/session/merge.ts';
import type { LiveMessage } from './live-source.ts';
import { stringified, unusable } from './signalr-protocol.ts';
import type { UnusableMessages } from './unusable-messages.ts';

export interface SignalrSnapshot {
  /** In the order of the subscription. */
  readonly topics: readonly LiveMessage[];
  /** Topics without a state. */
  readonly missing: readonly string[];
}

/** `result` is that of Subscribe. `kept` are messages of topics other than `.z`, in order of arrival. */
export function snapshotOf(
  topics: Iterable<string>,
  result: JsonObject,
  kept: readonly LiveMessage[],
  unusableMessages: UnusableMessages,
): SignalrSnapshot {
  const found: LiveMessage[] = [];
  const missing: string[] = [];
  for (const topic of topics) {
    const initial = Object.hasOwn(result, topic) ? (result[topic] ?? undefined) : undefined;
    const changes = kept.filter((message) => message.topic === topic);
    const state = changes.length === 0 ? initial : merged(initial, changes, unusableMessages);
    const json = state === undefined ? null : usableText(topic, state, unusableMessages);
    if (json === null) missing.push(topic);
    else found.push({ topic, json, utcMs: null });
  }
  return { topics: found, missing };
}

function merged(
  initial: Json | undefined,
  changes: readonly LiveMessage[],
  unusableMessages: UnusableMessages,
): Json | undefined {
  let state: Json | undefined;
  const add = (message: Json, text: () => string): void => {
    try {
      state = merge(state, message).state;
    } catch (error) {
      if (!(error instanceof MergeError)) throw error;
      unusableMessages.add(error.message, text());
    }
  };
  if (initial !== undefined) add(initial, () => stringified(initial) ?? '');
  for (const { json } of changes) add(JSON.parse(json) as Json, () => json);
  return state;
}

/** The state's JSON text, marked as complete; null when it is unusable. */
function usableText(topic: string, state: Json, unusableMessages: UnusableMessages): string | null {
  const isText = typeof state === 'string';
  const json = stringified(isText ? state : { ...(state as JsonObject), _kf: true });
  const reason = unusable(topic, state, json);
  if (reason === null) return json;
  unusableMessages.add(`the state of ${topic}: ${reason}`, json ?? '');
  return null;
}
