// Golden sessions in the forms in which recordings come.

import type { Json, JsonObject } from '#engine/base/json-value.ts';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import { merge } from '#engine/racing/session/merge.ts';
import type { TestSession } from '#test/racing/real-sessions.ts';
import type { SignalrRecording } from './signalr-recording.ts';

/** As a live connection has it that begins after so many messages: the state that they made, and what comes then. */
export function joinedAfter(messages: number, { frames }: TestSession): SignalrRecording {
  const initial: Record<string, Json> = {};
  for (const { topic, json } of frames.slice(0, messages)) {
    if (!isCompressed(topic)) initial[topic] = merge(initial[topic], JSON.parse(json) as Json).state;
  }
  return { initial: initial as JsonObject, frames: frames.slice(messages) };
}

/** As the archive has it: a line for each message of a topic, with the time since the stream began. */
export function archiveLines({ frames }: TestSession): Record<string, string[]> {
  const topics: Record<string, string[]> = {};
  for (const { topic, utcMs, json } of frames) {
    topics[topic] ??= [];
    topics[topic].push(`${new Date(utcMs - frames[0]!.utcMs).toISOString().slice(11, 23)}${json}`);
  }
  return topics;
}

/** As a dump of a SignalR connection has it: the state, and then a record a line. */
export function signalrText({ initial, frames }: SignalrRecording): string {
  const records = frames.map(({ topic, utcMs, json }) => {
    const utc = JSON.stringify(new Date(utcMs).toISOString());
    return `{"type":1,"target":"feed","arguments":[${JSON.stringify(topic)},${json},${utc}]}\x1e\n`;
  });
  return `${JSON.stringify(initial)}\n${records.join('')}`;
}
