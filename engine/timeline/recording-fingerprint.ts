// The fingerprint of a recording's bytes. Everything derived from a recording names the fingerprint that it was made
// from.

import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { FINGERPRINT_CHUNK_BYTES } from '#engine/base/limits.ts';
import { fileError } from '#engine/base/recording-error.ts';

export interface RecordingFingerprint {
  readonly bytes: number;
  readonly crc: number;
}

/** Reads the whole file in pieces, without blocking the thread. */
export async function fingerprintRecording(file: string): Promise<RecordingFingerprint> {
  try {
    const handle = await open(file, 'r');
    try {
      const chunk = Buffer.allocUnsafe(FINGERPRINT_CHUNK_BYTES);
      let bytes = 0;
      let crc = 0;
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, FINGERPRINT_CHUNK_BYTES, bytes);
        if (bytesRead === 0) return { bytes, crc };
        crc = crc32(chunk.subarray(0, bytesRead), crc);
        bytes += bytesRead;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, `reading ${file}`);
  }
}
