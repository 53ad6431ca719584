// The bytes of a file of unrecorded batches (unrecorded-batches.ts), all of one writer, in order.
//
//   header   magic (8)  version u32  number of batches u32  CRC-32 of the header so far u32
//   batch    length u32  CRC-32 of the length u32  CRC-32 of the payload u32  payload: MessagePack
//
// Numbers are little-endian. Attempts are lists without names, because there may be a hundred thousand.

import { crc32 } from 'node:zlib';
import { decode, encode } from '#engine/base/codec.ts';
import type { FailureCode } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import { DAY_UNKNOWN } from '#engine/delivery/usage/day.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import type { HealthDelta } from './endpoint-health.ts';
import {
  type AttemptRecord,
  type Checkpoint,
  type LateRows,
  NO_SPANS,
  type RecordBatch,
  type Writer,
} from './record-store.ts';

const MAGIC = Buffer.from('SLIPUNR\n', 'latin1');
const VERSION = 1;
export const HEADER_BYTES = 20;
const BATCH_HEADER_BYTES = 12;

/** The file cannot be read, or not to its end. The message says why and names no file. */
export class UnreadableBatches extends Error {
  override readonly name = 'UnreadableBatches';
}

/** The file is one of another version of the service. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
}

type AttemptRow = readonly [
  webhookNo: number,
  runNo: number | null,
  mode: DeliveryMode,
  feed: number,
  sequence: number,
  attempt: number,
  latencyMs: number,
  createdAtMs: number,
  /** The status with the body, or the failure's code with its detail. */
  outcome: number | FailureCode,
  text: string,
  /** Absent in files of versions that did not record it. */
  lagMs?: number | null,
];

interface Payload {
  readonly writer: Writer;
  readonly batchNo: number;
  readonly attempts: readonly AttemptRow[];
  /** The day is absent in files of versions that counted months only. */
  readonly usage: readonly (Omit<UsageDelta, 'day'> & Partial<Pick<UsageDelta, 'day'>>)[];
  readonly latency: readonly (Omit<LatencyDelta, 'counts'> & { readonly counts: readonly number[] })[];
  readonly checkpoints: readonly (Omit<Checkpoint, 'spans'> & Partial<Pick<Checkpoint, 'spans'>>)[];
  readonly checkpointsAreLate?: true;
  /** Absent in files of versions that made rows of all late checkpoints at once, too. */
  readonly lateRows?: LateRows;
  /** Absent without any, and in files of versions that did not record it. */
  readonly health?: readonly HealthDelta[];
}

export function encodeHeader(batches: number): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.writeUInt32LE(batches, 12);
  header.writeUInt32LE(crc32(header.subarray(0, 16)), 16);
  return header;
}

export function encodeBatch(batch: RecordBatch): Uint8Array {
  const { writer, batchNo, attempts, usage, latency, checkpoints, checkpointsAreLate, lateRows, health } = batch;
  const body: Payload = {
    writer,
    batchNo,
    attempts: Array.from(attempts, rowOf),
    usage,
    latency: latency.map((delta) => ({ ...delta, counts: [...delta.counts] })),
    checkpoints,
    ...(checkpointsAreLate !== undefined && { checkpointsAreLate }),
    ...(lateRows !== undefined && { lateRows }),
    ...(health !== undefined && { health }),
  };
  const payload = encode(body);
  const bytes = Buffer.alloc(BATCH_HEADER_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 4)), 4);
  bytes.writeUInt32LE(crc32(payload), 8);
  bytes.set(payload, BATCH_HEADER_BYTES);
  return bytes;
}

/** Yields the batches one by one, up to the first damage. Throws UnreadableBatches there, or OtherFormat. */
export function* decodeBatches(file: Uint8Array): Generator<RecordBatch> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const batches = readHeader(bytes);
  let at = HEADER_BYTES;
  for (let index = 0; index < batches; index++) {
    const header = bytes.subarray(at, at + BATCH_HEADER_BYTES);
    if (header.length < BATCH_HEADER_BYTES || crc32(header.subarray(0, 4)) !== header.readUInt32LE(4))
      throw new UnreadableBatches(`it is damaged at byte ${at}`);
    const payload = bytes.subarray(at + BATCH_HEADER_BYTES, at + BATCH_HEADER_BYTES + header.readUInt32LE(0));
    if (payload.length !== header.readUInt32LE(0) || crc32(payload) !== header.readUInt32LE(8))
      throw new UnreadableBatches(`it is damaged at byte ${at}`);
    at += BATCH_HEADER_BYTES + payload.length;
    yield batchOf(decode(payload) as Payload);
  }
  if (at < bytes.length) throw new UnreadableBatches(`it continues after its end at byte ${at}`);
}

function readHeader(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new UnreadableBatches('it is not a file of unrecorded batches');
  if (crc32(bytes.subarray(0, 16)) !== bytes.readUInt32LE(16)) throw new UnreadableBatches('its header is damaged');
  const version = bytes.readUInt32LE(8);
  if (version !== VERSION)
    throw new OtherFormat(`it has format ${version}, and this version of the service reads ${VERSION}`);
  return bytes.readUInt32LE(12);
}

function rowOf({ result, ...row }: AttemptRecord): AttemptRow {
  const { webhookNo, runNo, mode, feed, sequence, attempt, latencyMs, lagMs, createdAtMs } = row;
  const [outcome, text] = result.kind === 'answered' ? [result.statusCode, result.body] : [result.code, result.detail];
  return [webhookNo, runNo, mode, feed, sequence, attempt, latencyMs, createdAtMs, outcome, text, lagMs];
}

function batchOf({
  writer,
  batchNo,
  attempts,
  usage,
  latency,
  checkpoints,
  checkpointsAreLate,
  lateRows,
  health,
}: Payload): RecordBatch {
  return {
    writer,
    batchNo,
    attempts: attempts.map(attemptOf),
    usage: usage.map((delta) => ({ ...delta, day: delta.day ?? DAY_UNKNOWN })),
    latency: latency.map((delta) => ({ ...delta, counts: Uint32Array.from(delta.counts) })),
    // Older versions of the service kept no spans.
    checkpoints: checkpoints.map((checkpoint) => ({ ...checkpoint, spans: checkpoint.spans ?? NO_SPANS })),
    ...(checkpointsAreLate !== undefined && { checkpointsAreLate }),
    ...(lateRows !== undefined && { lateRows }),
    ...(health !== undefined && { health }),
  };
}

function attemptOf(row: AttemptRow): AttemptRecord {
  const [webhookNo, runNo, mode, feed, sequence, attempt, latencyMs, createdAtMs, outcome, text, lagMs = null] = row;
  const result: AttemptRecord['result'] =
    typeof outcome === 'number'
      ? { kind: 'answered', statusCode: outcome, body: text }
      : { kind: 'failed', code: outcome, detail: text };
  return { webhookNo, runNo, mode, feed, sequence, attempt, result, latencyMs, lagMs, createdAtMs };
}
