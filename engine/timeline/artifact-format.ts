// The file format of a playback artifact: a timeline as one block of memory. Its columns are typed arrays over the very
// bytes that were read.
//
//   header   64 bytes, see the offsets below; it ends in a CRC-32 of itself
//   table    offset and length of each section in bytes, as f64
//   sections the timeline's info (MessagePack), then its columns, each aligned to 8 bytes
//
// Numbers are little-endian, like every machine on which this runs. One checksum in the header covers everything behind
// it, so no damaged byte goes unnoticed.

import { crc32 } from 'node:zlib';
import { assert } from '#engine/base/assert.ts';
import type { RecordingFingerprint } from './recording-fingerprint.ts';
import type { TimelineColumns } from './timeline.ts';

/**
 * Raise it with every change of this layout, of the feed numbers or of the race event numbers. Replays that are running
 * across that upgrade end, because their artifacts cannot be read any more.
 */
export const ARTIFACT_VERSION = 2;
export const ARTIFACT_HEADER_BYTES = 64;
const MAGIC = Buffer.from('SLIPPLY\n', 'latin1');

/** The recording and the deriver version that an artifact was made from. An artifact of another origin is stale. */
export interface ArtifactOrigin {
  readonly deriverVersion: number;
  readonly recording: RecordingFingerprint;
}

export interface ArtifactHeader {
  readonly origin: ArtifactOrigin;
  /** Size of the whole file. */
  readonly bytes: number;
  /** CRC-32 of everything behind the header. */
  readonly crc: number;
  readonly updateCount: number;
}

type ColumnKind = typeof Uint8Array | typeof Uint32Array;

/** The columns, in file order. */
export const COLUMNS: readonly (readonly [name: keyof TimelineColumns, kind: ColumnKind])[] = [
  ['dueMs', Uint32Array],
  ['feed', Uint8Array],
  ['eventType', Uint8Array],
  ['driversLow', Uint32Array],
  ['driversHigh', Uint32Array],
  ['touchedStart', Uint32Array],
  ['touchedDriver', Uint8Array],
  ['touchedPosition', Uint8Array],
  ['bodyStart', Uint32Array],
  ['bodies', Uint8Array],
];

export const TABLE_BYTES = (COLUMNS.length + 1) * 16;

export function encodeArtifactHeader(header: ArtifactHeader): Buffer {
  const bytes = Buffer.alloc(ARTIFACT_HEADER_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(ARTIFACT_VERSION, 8);
  bytes.writeUInt32LE(header.origin.deriverVersion, 12);
  bytes.writeDoubleLE(header.origin.recording.bytes, 16);
  bytes.writeUInt32LE(header.origin.recording.crc, 24);
  bytes.writeUInt32LE(header.updateCount, 28);
  bytes.writeDoubleLE(header.bytes, 32);
  bytes.writeUInt32LE(header.crc, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/** Returns the header, or a phrase that says why this program cannot use the file. */
export function decodeArtifactHeader(bytes: Buffer): ArtifactHeader | { readonly damaged: string } {
  if (bytes.length < ARTIFACT_HEADER_BYTES) return { damaged: 'it is shorter than a header' };
  if (!bytes.subarray(0, 8).equals(MAGIC)) return { damaged: 'it is not a playback artifact' };
  if (crc32(bytes.subarray(0, 60)) !== bytes.readUInt32LE(60)) return { damaged: 'its header is damaged' };
  const version = bytes.readUInt32LE(8);
  if (version !== ARTIFACT_VERSION) return { damaged: `it has format ${version}, not ${ARTIFACT_VERSION}` };
  return {
    origin: {
      deriverVersion: bytes.readUInt32LE(12),
      recording: { bytes: bytes.readDoubleLE(16), crc: bytes.readUInt32LE(24) },
    },
    updateCount: bytes.readUInt32LE(28),
    bytes: bytes.readDoubleLE(32),
    crc: bytes.readUInt32LE(40),
  };
}

/** Rounds an offset up to the alignment of sections, 8 bytes. */
export function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

/** Returns offset and length of each section. `view` is the table. */
export function sectionTable(view: DataView): { readonly offset: number; readonly length: number }[] {
  assert(view.byteLength === TABLE_BYTES, 'the section table has a row for the info and for each column');
  return Array.from({ length: COLUMNS.length + 1 }, (_, row) => ({
    offset: view.getFloat64(row * 16, true),
    length: view.getFloat64(row * 16 + 8, true),
  }));
}
