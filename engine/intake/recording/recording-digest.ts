// What tells a recording from every other one: its length, its CRC-32, which artifacts name, and its SHA-256.

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { RECORDING_PIECE_BYTES } from '#engine/base/limits.ts';
import { fileError } from '#engine/base/recording-error.ts';

export interface RecordingDigest {
  readonly bytes: number;
  readonly crc: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Adds up the pieces of a recording. */
export class DigestSum {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #crc = 0;

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#crc = crc32(piece, this.#crc);
    this.#bytes += piece.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Call once, after the last piece. */
  digest(): RecordingDigest {
    return { bytes: this.#bytes, crc: this.#crc, sha256: this.#hash.digest('hex') };
  }
}

export function sameDigest(one: RecordingDigest, other: RecordingDigest): boolean {
  return one.sha256 === other.sha256 && one.bytes === other.bytes && one.crc === other.crc;
}

/** The pieces of a file, in order: each is whole but the last. Rejects with a RecordingError. */
export async function* filePieces(file: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      for (;;) {
        const piece = Buffer.allocUnsafe(RECORDING_PIECE_BYTES);
        let filled = 0;
        while (filled < piece.length) {
          const { bytesRead } = await handle.read(piece, filled, piece.length - filled, null);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        if (filled > 0) yield piece.subarray(0, filled);
        if (filled < piece.length) return;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, `reading ${file}`);
  }
}

/** Reads the whole file, without blocking the thread for longer than a piece takes. */
export async function digestFile(file: string): Promise<RecordingDigest> {
  const sum = new DigestSum();
  for await (const piece of filePieces(file)) sum.add(piece);
  return sum.digest();
}
