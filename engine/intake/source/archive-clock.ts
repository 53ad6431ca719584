// When an archived stream began: its lines carry only the time since then, so one message that also names a wall time is
// needed. From the most exact to the least, the first that the recording has:
//
// 1. ExtrapolatedClock: stamped when it is sent, to the millisecond; the largest difference, should one be a repetition.
// 2. CarData.z, Position.z: samples are stamped when they are measured, up to seconds before they are sent; the largest
//    difference among the first messages is the one with the least delay.
// 3. RaceControlMessages: stamped to the second, some much later than sent; the median difference is within a second.
// 4. Heartbeat: stamped about two seconds ahead of its sending, in every session where that can be compared.
// 5. SessionInfo: the scheduled start, taken as the moment at which SessionStatus says Started; without SessionStatus, as
//    the beginning of the stream. This can be wrong by minutes, and by hours when a start was delayed.

import { inflateRawSync } from 'node:zlib';
import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { CLOCK_MESSAGES_MAX, FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { localUtcMs, upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { StreamLine } from './json-stream-file.ts';

/** The lines of a topic from the first one, or none when the archive has no such topic. */
export type ReadTopic = (topic: string) => Iterable<StreamLine>;

/** Unix epoch milliseconds of the stream's beginning. `where` names the archive in errors. */
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

/** A compressed message, empty when it is damaged: another one will do. */
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
