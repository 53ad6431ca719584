// Golden sessions in the formats of recordings.

import type { Json, JsonObject } from '#engine/base/json-value.ts';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import { merge } from '#engine/racing/session/merge.ts';
import type { TestSession } from '#test/racing/real-sessions.ts';
import type { SignalrRecording } from './signalr-recording.ts';

/**
 * The session as a live connection gets it that begins after `messages` messages: a snapshot, then the other messages.
 */
export function joinedAfter(messages: number, { frames }: TestSession): SignalrRecording {
  const initial: Record<string, Json> = {};
  for (const { topic, json } of frames.slice(0, messages)) {
    if (!isCompressed(topic)) initial[topic] = merge(initial[topic], JSON.parse(json) as Json).state;
  }
  return { initial: initial as JsonObject, frames: frames.slice(messages) };
}

/** The session in the format of the archive: lines by topic, with the time since the start of the stream. */
export function archiveLines({ frames }: TestSession): Record<string, string[]> {
  const topics: Record<string, string[]> = {};
  for (const { topic, utcMs, json } of frames) {
    topics[topic] ??= [];
    topics[topic].push(`${new Date(utcMs - frames[0]!.utcMs).toISOString().slice(11, 23)}${json}`);
  }
  return topics;
}

/** The session as a dump of a SignalR connection: the snapshot, then a record per line. */
export function signalrText({ initial, frames }: SignalrRecording): string {
  const records = frames.map(({ topic, utcMs, json }) => {
    const utc = JSON.stringify(new Date(utcMs).toISOString());
    return `{"type":1,"target":"feed","arguments":[${JSON.stringify(topic)},${json},${utc}]}\x1e\n`;
  });
  return `${JSON.stringify(initial)}\n${records.join('')}`;
}
