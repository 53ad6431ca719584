// The bytes of a recording: all frames of one session, append-only.
//
//   header   magic (8)  version u32  head length u32  CRC-32 of head u32  head: RecordingHead as JSON
//   record   length u32  CRC-32 of the length u32  CRC-32 of the payload u32  payload
//   payload  time f64 (Unix epoch ms)  topic length u8  topic  the message's JSON, both UTF-8
//
// Numbers are little-endian. The length has its own checksum: without it, a damaged length would look like a record
// that ends beyond the file. Only the end of the file can be a torn write.

import { crc32 } from 'node:zlib';
import { assert } from '#engine/base/assert.ts';
import { FRAME_BYTES_MAX, QUOTED_CHARS_MAX, RECORDING_HEAD_BYTES_MAX, TOPIC_BYTES_MAX } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { TimelineHead } from '#engine/timeline/timeline-builder.ts';

/** Which session the frames belong to. `origin` says where they came from, for people who read the file later. */
export interface RecordingHead extends TimelineHead {
  readonly origin: string;
}

export const RECORDING_MAGIC = Buffer.from('SLIPREC\n', 'latin1');
export const RECORDING_VERSION = 1;
export const HEADER_FIXED_BYTES = 20;
export const RECORD_HEADER_BYTES = 12;
const PAYLOAD_FIXED_BYTES = 9;
export const PAYLOAD_BYTES_MAX = PAYLOAD_FIXED_BYTES + TOPIC_BYTES_MAX + FRAME_BYTES_MAX;

export function encodeHeader(head: RecordingHead): Buffer {
  const text = Buffer.from(JSON.stringify({ sessionId: head.sessionId, seriesId: head.seriesId, origin: head.origin }));
  assert(text.length <= RECORDING_HEAD_BYTES_MAX, 'the head of a recording is short');
  const bytes = Buffer.alloc(HEADER_FIXED_BYTES + text.length);
  RECORDING_MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(RECORDING_VERSION, 8);
  bytes.writeUInt32LE(text.length, 12);
  bytes.writeUInt32LE(crc32(text), 16);
  text.copy(bytes, HEADER_FIXED_BYTES);
  return bytes;
}

/** Checks the fixed part of a header. Returns the length of the head in bytes. */
export function headLength(file: string, fixed: Buffer): number {
  if (fixed.length < HEADER_FIXED_BYTES || !fixed.subarray(0, 8).equals(RECORDING_MAGIC)) {
    throw new RecordingError('not_a_recording', `${file} is not a recording; import the session again`);
  }
  const version = fixed.readUInt32LE(8);
  if (version !== RECORDING_VERSION) {
    const message = `${file} has recording format ${version}, but this program reads ${RECORDING_VERSION}; import it again`;
    throw new RecordingError('other_version', message);
  }
  const length = fixed.readUInt32LE(12);
  if (length > RECORDING_HEAD_BYTES_MAX) throw damaged(file, 12, 'the header');
  return length;
}

export function decodeHead(file: string, fixed: Buffer, text: Buffer): RecordingHead {
  if (text.length !== fixed.readUInt32LE(12) || crc32(text) !== fixed.readUInt32LE(16))
    throw damaged(file, 16, 'the header');
  const { sessionId, seriesId, origin } = JSON.parse(text.toString()) as RecordingHead;
  return { sessionId, seriesId, origin };
}

export function encodeRecord(frame: Frame): Buffer {
  const topicBytes = Buffer.byteLength(frame.topic);
  const jsonBytes = Buffer.byteLength(frame.json);
  if (jsonBytes > FRAME_BYTES_MAX || topicBytes > TOPIC_BYTES_MAX) {
    const message = `a frame of ${frame.topic.slice(0, QUOTED_CHARS_MAX)} has ${jsonBytes} bytes, more than the limit of ${FRAME_BYTES_MAX}`;
    throw new RecordingError('too_large', message);
  }
  const length = PAYLOAD_FIXED_BYTES + topicBytes + jsonBytes;
  const bytes = Buffer.allocUnsafe(RECORD_HEADER_BYTES + length);
  bytes.writeUInt32LE(length, 0);
  bytes.writeDoubleLE(frame.utcMs, RECORD_HEADER_BYTES);
  bytes.writeUInt8(topicBytes, RECORD_HEADER_BYTES + 8);
  bytes.write(frame.topic, RECORD_HEADER_BYTES + PAYLOAD_FIXED_BYTES, 'utf8');
  bytes.write(frame.json, RECORD_HEADER_BYTES + PAYLOAD_FIXED_BYTES + topicBytes, 'utf8');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 4)), 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(RECORD_HEADER_BYTES)), 8);
  return bytes;
}

/** The payload's length, or null when no record starts at `offset`. */
export function recordLength(bytes: Buffer, offset: number): number | null {
  const length = bytes.readUInt32LE(offset);
  if (length < PAYLOAD_FIXED_BYTES || length > PAYLOAD_BYTES_MAX) return null;
  return crc32(bytes.subarray(offset, offset + 4)) === bytes.readUInt32LE(offset + 4) ? length : null;
}

/** Whether the payload of the record at `offset` matches its checksum. `length` is the payload's, in bytes. */
export function isIntact(bytes: Buffer, offset: number, length: number): boolean {
  const payload = bytes.subarray(offset + RECORD_HEADER_BYTES, offset + RECORD_HEADER_BYTES + length);
  return payload.length === length && crc32(payload) === bytes.readUInt32LE(offset + 8);
}

/** The frame of the record at `offset`, whose payload has `length` bytes. */
export function decodeFrame(bytes: Buffer, offset: number, length: number): Frame {
  const start = offset + RECORD_HEADER_BYTES;
  const topicStart = start + PAYLOAD_FIXED_BYTES;
  const jsonStart = topicStart + bytes.readUInt8(start + 8);
  return {
    utcMs: bytes.readDoubleLE(start),
    topic: bytes.toString('utf8', topicStart, jsonStart),
    json: bytes.toString('utf8', jsonStart, start + length),
  };
}

export function damaged(file: string, offset: number, what: string): RecordingError {
  const message = `${file} is damaged at byte ${offset} (${what}); restore it from a backup or import the session again`;
  return new RecordingError('damaged', message);
}

/** The frames of consecutive records, such as `encodeRecord` makes them. Throws a RecordingError at any damage. */
export function* framesIn(records: Buffer): Generator<Frame, void, undefined> {
  for (let offset = 0; offset < records.length; ) {
    const whole = offset + RECORD_HEADER_BYTES <= records.length;
    const length = whole ? recordLength(records, offset) : null;
    if (length === null || !isIntact(records, offset, length))
      throw damaged('a batch of frames in the database', offset, 'a broken record');
    yield decodeFrame(records, offset, length);
    offset += RECORD_HEADER_BYTES + length;
  }
}
