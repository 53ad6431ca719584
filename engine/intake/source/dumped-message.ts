// Builds messages from what all dump formats share: a topic, its data, and the upstream's time stamp.

import { quoted } from '#engine/base/quoted-text.ts';
import { isoUtcMs, upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { LineProblem } from './line-problem.ts';
import type { LiveMessage } from './live-source.ts';
import { fitsFrame, isCompressed, nestedDataProblem, topicProblem } from './message-data.ts';

/** A message with a time. `data` of an uncompressed topic may also be JSON text. Throws a LineProblem. */
export function timedMessage(topic: unknown, data: unknown, utc: unknown): LiveMessage {
  const name = checkedTopic(topic);
  const utcMs = typeof utc === 'string' ? (upstreamUtcMs(utc) ?? isoUtcMs(utc)) : null;
  if (utcMs === null) {
    throw new LineProblem(`the time of a message of ${name} is ${quoted(JSON.stringify(utc) ?? 'missing')}`);
  }
  return { topic: name, json: checkedJson(name, unwrapped(name, data)), utcMs };
}

/** The snapshot of a topic, marked as complete. The caller gives it a time: it depends on the messages around it. */
export function snapshotMessage(topic: unknown, data: unknown): LiveMessage {
  const name = checkedTopic(topic);
  const value = unwrapped(name, data);
  const marked = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, _kf: true } : value;
  return { topic: name, json: checkedJson(name, marked), utcMs: null };
}

/** The snapshots in the result of a subscription: an object with one value per topic. Null values are left out. */
export function snapshotMessages(state: object): LiveMessage[] {
  return Object.entries(state).flatMap(([topic, data]) => (data === null ? [] : [snapshotMessage(topic, data)]));
}

function checkedTopic(topic: unknown): string {
  const problem = topicProblem(topic);
  if (problem !== null) throw new LineProblem(`the topic of a message ${problem}`);
  return topic as string;
}

function checkedJson(topic: string, data: unknown): string {
  const problem = nestedDataProblem(topic, data);
  if (problem !== null) throw new LineProblem(`the data of a message of ${topic} is ${problem}`);
  const json = JSON.stringify(data);
  if (!fitsFrame(json)) throw new LineProblem(`the data of a message of ${topic} is larger than any message may be`);
  return json;
}

/** Parses data that came as JSON text. Base64 stays text, with or without JSON quotes of its own. */
function unwrapped(topic: string, data: unknown): unknown {
  const packed =
    typeof data === 'string' && (isCompressed(topic) === true ? data.startsWith('"') : /^\s*\{/.test(data));
  if (!packed) return data;
  try {
    return JSON.parse(data as string);
  } catch (error) {
    throw new LineProblem(`the data of a message of ${topic} is not JSON (${(error as Error).message})`);
  }
}
