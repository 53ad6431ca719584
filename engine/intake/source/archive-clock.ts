// Finds when an archived stream began. Its lines carry only the time since then, so a message that also carries a wall
// time is needed. The difference of the two times is the start. These topics are tried in turn, the most exact first:
//
// 1. ExtrapolatedClock: stamped to the millisecond when sent. The largest difference counts, because old stamps are
//    sometimes repeated.
// 2. CarData.z, Position.z: samples are stamped when measured, up to seconds before they are sent. The largest
//    difference among the first messages belongs to the sample with the least delay.
// 3. RaceControlMessages: stamped to the second, and some are sent much later. The median difference is within a
//    second.
// 4. Heartbeat: stamped about two seconds before it is sent, in every session that allows a comparison.
// 5. SessionInfo: the scheduled start. It counts as the moment when SessionStatus becomes Started, or, without
//    SessionStatus, as the start of the stream. This can be minutes off, and hours when the start was delayed.

import { inflateRawSync } from 'node:zlib';
import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { CLOCK_MESSAGES_MAX, FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { localUtcMs, upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { StreamLine } from './json-stream-file.ts';

/** The lines of a topic from the first one on; none when the archive does not have the topic. */
export type ReadTopic = (topic: string) => Iterable<StreamLine>;

/** Unix epoch milliseconds of the stream's start. `where` names the archive in errors. */
export function archiveStartUtcMs(where: string, read: ReadTopic): number {
  const startUtcMs =
    clockStart(read) ?? sampleStart(read) ?? raceControlStart(read) ?? heartbeatStart(read) ?? scheduledStart(read);
  if (startUtcMs === null) {
    throw new SourceError(
      where,
      'nothing says when this session took place',
      'Add Heartbeat.jsonStream, RaceControlMessages.jsonStream or SessionInfo.jsonStream of the same session',
    );
  }
  return Math.round(startUtcMs);
}

function clockStart(read: ReadTopic): number | null {
  let start: number | null = null;
  for (const { offsetMs, json } of read('ExtrapolatedClock')) {
    const utcMs = upstreamUtcMs(JSON.parse(json)?.Utc);
    if (utcMs !== null) start = Math.max(start ?? 0, utcMs - offsetMs);
  }
  return start;
}

function heartbeatStart(read: ReadTopic): number | null {
  for (const { offsetMs, json } of read('Heartbeat')) {
    const utcMs = upstreamUtcMs(JSON.parse(json)?.Utc);
    if (utcMs !== null) return utcMs - offsetMs;
  }
  return null;
}

function sampleStart(read: ReadTopic): number | null {
  let start: number | null = null;
  for (const topic of ['CarData.z', 'Position.z']) {
    let messages = 0;
    for (const { offsetMs, json } of read(topic)) {
      if (messages++ === CLOCK_MESSAGES_MAX) break;
      const { Entries, Position } = inflated(JSON.parse(json));
      for (const sample of Object.values(objectOf(Entries ?? Position))) {
        const { Utc, Timestamp } = objectOf(sample);
        const utcMs = upstreamUtcMs(Utc ?? Timestamp);
        if (utcMs !== null) start = Math.max(start ?? 0, utcMs - offsetMs);
      }
    }
  }
  return start;
}

/** A decompressed message. Empty when it is damaged: the next message serves as well. */
function inflated(base64: unknown): JsonObject {
  if (typeof base64 !== 'string') return {};
  try {
    const text = inflateRawSync(Buffer.from(base64, 'base64'), { maxOutputLength: FRAME_BYTES_MAX }).toString('utf8');
    return objectOf(JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text));
  } catch {
    return {};
  }
}

function raceControlStart(read: ReadTopic): number | null {
  const starts: number[] = [];
  for (const { offsetMs, json } of read('RaceControlMessages')) {
    const messages: Readonly<Record<string, { readonly Utc?: unknown }>> = JSON.parse(json)?.Messages ?? {};
    const utcMs = upstreamUtcMs(Object.values(messages).at(-1)?.Utc);
    if (utcMs !== null) starts.push(utcMs - offsetMs);
  }
  starts.sort((a, b) => a - b);
  return starts[starts.length >>> 1] ?? null;
}

function scheduledStart(read: ReadTopic): number | null {
  for (const { json } of read('SessionInfo')) {
    const info = JSON.parse(json);
    const startUtcMs = localUtcMs(info?.StartDate, info?.GmtOffset);
    if (startUtcMs !== null) return startUtcMs - startedOffsetMs(read);
  }
  return null;
}

function startedOffsetMs(read: ReadTopic): number {
  for (const { offsetMs, json } of read('SessionStatus')) {
    if (JSON.parse(json)?.Status === 'Started') return offsetMs;
  }
  return 0;
}
