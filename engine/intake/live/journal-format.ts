// The bytes of a journal: the updates that a live session has published, append-only.
//
//   header  magic (8)  version u32
//   record  length u32  CRC-32 of the payload u32  payload
//
// The payload of the first record is the session (MessagePack), that of each other one an entry. Numbers are
// little-endian. Whatever follows the last intact record is a torn write.

import { crc32 } from 'node:zlib';
import { decode, encode } from '#engine/base/codec.ts';
import { decodeBlock, encodeBlock, type TimelineBlock } from '#engine/timeline/timeline-block.ts';
import type { TimelineHead } from '#engine/timeline/timeline-builder.ts';

/**
 * A program that changes the layout, the feed numbers or the race event numbers must still read this one: a session may be
 * live while it is upgraded.
 */
export const JOURNAL_VERSION = 1;
const MAGIC = Buffer.from('SLIPUPD\n', 'latin1');
export const JOURNAL_HEADER_BYTES = 12;
export const JOURNAL_RECORD_HEADER_BYTES = 8;
const TAGS = 3;

export interface JournalHead extends TimelineHead {
  /** Unix epoch milliseconds of the first frame. */
  readonly startUtcMs: number;
}

/** Updates that were published together. */
export interface JournalEntry {
  /** How many frames were recorded by then. They need not be derived any more to know what was published. */
  readonly frames: number;
  /** Whether the models have seen the last of these frames. If not, what they emit for it comes in a later entry. */
  readonly analysed: boolean;
  /** The version of the deriver that made the updates. */
  readonly deriverVersion: number;
  readonly block: TimelineBlock;
}

export function encodeJournalStart({ sessionId, seriesId, startUtcMs }: JournalHead): Buffer {
  const header = Buffer.alloc(JOURNAL_HEADER_BYTES);
  MAGIC.copy(header, 0);
  header.writeUInt32LE(JOURNAL_VERSION, 8);
  return Buffer.concat([header, recordOf(encode([sessionId, seriesId, startUtcMs]))]);
}

export function encodeJournalEntry({ frames, analysed, deriverVersion, block }: JournalEntry): Buffer {
  return recordOf(encodeBlock([frames, analysed ? 1 : 0, deriverVersion], block));
}

/** Why this program cannot read the journal, as a phrase; null if it can. `bytes` are those of the header. */
export function journalProblem(bytes: Buffer): string | null {
  if (bytes.length < JOURNAL_HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return 'it is not a journal';
  const version = bytes.readUInt32LE(8);
  return version === JOURNAL_VERSION ? null : `it has format ${version}, not ${JOURNAL_VERSION}`;
}

export function decodeJournalHead(payload: Buffer): JournalHead {
  const [sessionId, seriesId, startUtcMs] = decode(payload) as [string, string, number];
  return { sessionId, seriesId, startUtcMs };
}

/** Null if the entry is none. */
export function decodeJournalEntry(payload: Buffer): JournalEntry | null {
  const decoded = decodeBlock(payload, TAGS);
  if (decoded === null) return null;
  const [frames, analysed, deriverVersion] = decoded.tags as [number, number, number];
  return { frames, analysed: analysed === 1, deriverVersion, block: decoded.block };
}

/** Whether the payload of a record matches its checksum. An empty payload is a part of the file that was not written. */
export function isIntactRecord(header: Buffer, payload: Buffer): boolean {
  return payload.length > 0 && crc32(payload) === header.readUInt32LE(4);
}

function recordOf(payload: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(JOURNAL_RECORD_HEADER_BYTES + payload.length);
  record.writeUInt32LE(payload.length, 0);
  record.writeUInt32LE(crc32(payload), 4);
  record.set(payload, JOURNAL_RECORD_HEADER_BYTES);
  return record;
}
