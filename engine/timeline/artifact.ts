// Playback artifacts: a compiled timeline on disk, and the same bytes in shared memory for every thread. A file that is
// cut short, altered, of another format or made from another recording is detected before use. It is never repaired,
// because it can always be compiled again.

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { assert } from '#engine/base/assert.ts';
import { decode, encode } from '#engine/base/codec.ts';
import { ARTIFACT_CHUNK_BYTES } from '#engine/base/limits.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { StagedFile } from '#engine/base/staged-file.ts';
import {
  ARTIFACT_HEADER_BYTES,
  type ArtifactHeader,
  type ArtifactOrigin,
  aligned,
  COLUMNS,
  decodeArtifactHeader,
  encodeArtifactHeader,
  sectionTable,
  TABLE_BYTES,
} from './artifact-format.ts';
import { Timeline, type TimelineColumns, type TimelineInfo } from './timeline.ts';

export type ReadArtifact =
  | { readonly bytes: SharedArrayBuffer; readonly timeline: Timeline }
  /** Why the file cannot be used, as a phrase that follows the file's name. */
  | { readonly damaged: string };

/** Writes the artifact, replacing any earlier one. The same timeline gives the same bytes (I7). Returns its size. */
export function writeArtifact(file: string, timeline: Timeline, origin: ArtifactOrigin): number {
  const sections: Uint8Array[] = [encode(timeline.info)];
  for (const [name] of COLUMNS) {
    const column = timeline.columns[name];
    sections.push(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  const table = Buffer.alloc(TABLE_BYTES);
  const parts: Uint8Array[] = [table];
  let offset = ARTIFACT_HEADER_BYTES + TABLE_BYTES;
  for (const [row, section] of sections.entries()) {
    table.writeDoubleLE(offset, row * 16);
    table.writeDoubleLE(section.length, row * 16 + 8);
    const next = aligned(offset + section.length);
    parts.push(section, new Uint8Array(next - offset - section.length));
    offset = next;
  }
  // Empty parts are left out, so that they cannot reset the checksum.
  const crc = parts.reduce((sum, part) => (part.length === 0 ? sum : crc32(part, sum)), 0);
  const header = encodeArtifactHeader({ origin, bytes: offset, crc, updateCount: timeline.length });
  const staged = new StagedFile(file);
  try {
    writeParts(staged.temporary, [header, ...parts]);
  } catch (error) {
    staged.discard();
    throw fileError(error, `writing ${file}`);
  }
  staged.publish();
  return offset;
}

/** Reads the whole file into shared memory and checks every byte. A missing file counts as damaged. */
export async function readArtifact(file: string, origin: ArtifactOrigin): Promise<ReadArtifact> {
  let bytes = new SharedArrayBuffer(0);
  const checked = await readChecked(file, origin, (header) => {
    bytes = new SharedArrayBuffer(header.bytes);
    return new Uint8Array(bytes);
  });
  return 'damaged' in checked ? checked : { bytes, timeline: openArtifact(bytes) };
}

/** Checks every byte like `readArtifact`, but keeps none. */
export async function checkArtifact(
  file: string,
  origin: ArtifactOrigin,
): Promise<{ readonly updateCount: number } | { readonly damaged: string }> {
  return readChecked(file, origin, () => null);
}

/** Reads the file in pieces into the memory from `areaFor`, or, if that is null, into one buffer again and again. */
async function readChecked(
  file: string,
  origin: ArtifactOrigin,
  areaFor: (header: ArtifactHeader) => Uint8Array | null,
): Promise<ArtifactHeader | { readonly damaged: string }> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => error);
  if (handle instanceof Error) return { damaged: handle.code === 'ENOENT' ? 'it does not exist' : handle.message };
  try {
    const first = Buffer.alloc(ARTIFACT_HEADER_BYTES);
    const { bytesRead } = await handle.read(first, 0, first.length, 0);
    const header = decodeArtifactHeader(first.subarray(0, bytesRead));
    if ('damaged' in header) return header;
    const { recording, deriverVersion } = header.origin;
    if (recording.crc !== origin.recording.crc || recording.bytes !== origin.recording.bytes) {
      return { damaged: 'it was made from another recording' };
    }
    if (deriverVersion !== origin.deriverVersion) return { damaged: 'it was made by another version' };
    const { size } = await handle.stat();
    if (size !== header.bytes) return { damaged: `it has ${size} bytes instead of ${header.bytes}` };
    const area = areaFor(header);
    const piece = area ?? Buffer.allocUnsafe(Math.min(ARTIFACT_CHUNK_BYTES, size));
    area?.set(first);
    let crc = 0;
    for (let offset = ARTIFACT_HEADER_BYTES; offset < size; ) {
      const start = area === null ? 0 : offset;
      const read = await handle.read(
        piece,
        start,
        Math.min(ARTIFACT_CHUNK_BYTES, size - offset, piece.length - start),
        offset,
      );
      if (read.bytesRead === 0) return { damaged: 'it became shorter while it was read' };
      crc = crc32(piece.subarray(start, start + read.bytesRead), crc);
      offset += read.bytesRead;
    }
    return crc === header.crc ? header : { damaged: 'its checksum does not match' };
  } finally {
    await handle.close();
  }
}

/** Returns a view of an artifact that `readArtifact` has checked, in any thread. Only the info is copied. */
export function openArtifact(bytes: SharedArrayBuffer): Timeline {
  const header = decodeArtifactHeader(Buffer.from(new Uint8Array(bytes, 0, ARTIFACT_HEADER_BYTES)));
  assert(!('damaged' in header) && header.bytes === bytes.byteLength, 'shared memory holds a checked artifact');
  const [info, ...columns] = sectionTable(new DataView(bytes, ARTIFACT_HEADER_BYTES, TABLE_BYTES));
  const entries = COLUMNS.map(([name, kind], index) => {
    const { offset, length } = columns[index]!;
    const column =
      kind === Uint8Array ? new Uint8Array(bytes, offset, length) : new Uint32Array(bytes, offset, length / 4);
    return [name, column];
  });
  const infoBytes = new Uint8Array(bytes, info!.offset, info!.length).slice();
  return new Timeline(decode(infoBytes) as TimelineInfo, Object.fromEntries(entries) as TimelineColumns);
}

function writeParts(file: string, parts: readonly Uint8Array[]): void {
  const descriptor = openSync(file, 'wx');
  try {
    for (const part of parts) {
      let written = 0;
      while (written < part.length) written += writeSync(descriptor, part, written, part.length - written);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
