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
const UTC = Buffer.from('"utc":"');
/** What an update has beside its body and its place: two short names and numbers. */
const FIELDS_BYTES_MAX = 400;
const ZERO = '0'.charCodeAt(0);

/** An update as a framed message of a stream of its session alone. */
export const encodeUpdate: EncodeUpdate = (timeline, position) => {
  const place = formatPlace({ sessionId: timeline.info.sessionId, sequence: sequenceOf(position) });
  return framed(updateMessage(timeline, position, place));
};

/** `cursor`: the place of the stream after the update. */
export function updateMessage(timeline: Timeline, position: number, cursor: string): Buffer {
  const body = timeline.body(position);
  return new ProtobufWriter(FIELDS_BYTES_MAX + body.length + cursor.length)
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

/** `2026-03-01T14:00:00.000Z` */
function utcMsOf(body: Uint8Array): number {
  const found = Buffer.from(body.buffer, body.byteOffset, body.length).indexOf(UTC);
  const at = found + UTC.length;
  const number = (from: number, digits: number): number => {
    let value = 0;
    for (let digit = at + from; digit < at + from + digits; digit++) value = 10 * value + body[digit]! - ZERO;
    return value;
  };
  const utcMs = Date.UTC(
    number(0, 4),
    number(5, 2) - 1,
    number(8, 2),
    number(11, 2),
    number(14, 2),
    number(17, 2),
    number(20, 3),
  );
  assert(found >= 0 && utcMs >= 0, 'every body has its time');
  return utcMs;
}
