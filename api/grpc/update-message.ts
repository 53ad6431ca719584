// An update as a message slipstream.v1.Update: made once for all streams of its session, with the very bytes of the
// webhook's body.

import { formatPlace } from '#api/streams/stream-place.ts';
import { assert } from '#engine/base/assert.ts';
import type { EncodeUpdate } from '#engine/delivery/stream/stream-timeline.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import { framed } from './message-frames.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** Field numbers of schemas/grpc/slipstream/v1/updates.proto. */
const UPDATE = { feed: 1, sessionId: 2, sequence: 3, utc: 4, json: 5, cursor: 6 } as const;
const TIMESTAMP = { seconds: 1, nanos: 2 } as const;
/** Every body begins with its feed, series, session, sequence and time. */
const UTC = '"utc":"';
const UTC_CHARS = '2026-03-01T14:00:00.000Z'.length;

/** An update as a framed message of a stream of its session alone. */
export const encodeUpdate: EncodeUpdate = (timeline, position) => {
  const place = formatPlace({ sessionId: timeline.info.sessionId, sequence: sequenceOf(position) });
  return framed(updateMessage(timeline, position, place));
};

/** `cursor`: the place of the stream after the update. */
export function updateMessage(timeline: Timeline, position: number, cursor: string): Buffer {
  const body = timeline.body(position);
  return new ProtobufWriter()
    .text(UPDATE.feed, timeline.feedId(position))
    .text(UPDATE.sessionId, timeline.info.sessionId)
    .number(UPDATE.sequence, sequenceOf(position))
    .message(UPDATE.utc, timestamp(utcMsOf(body)))
    .bytes(UPDATE.json, body)
    .text(UPDATE.cursor, cursor)
    .written();
}

function timestamp(utcMs: number): ProtobufWriter {
  return new ProtobufWriter()
    .number(TIMESTAMP.seconds, Math.floor(utcMs / 1_000))
    .number(TIMESTAMP.nanos, (utcMs % 1_000) * 1_000_000);
}

function utcMsOf(body: Uint8Array): number {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length);
  const start = text.indexOf(UTC) + UTC.length;
  const utcMs = Date.parse(text.toString('latin1', start, start + UTC_CHARS));
  assert(utcMs >= 0, 'every body has its time');
  return utcMs;
}
