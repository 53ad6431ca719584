// Bytes as the delivery log stores them: compressed where that pays. The first byte says how.

import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { assert } from '#engine/base/assert.ts';

const PLAIN = 0;
const ZSTD = 1;
/** Fewer bytes are not worth the work. */
const COMPRESSED_FROM_BYTES = 128;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressed = promisify(zstdCompress);

/** Compresses on another thread. `bytes` must not change until it resolves. */
export async function packedElsewhere(bytes: Uint8Array): Promise<Uint8Array> {
  return smaller(bytes, bytes.length < COMPRESSED_FROM_BYTES ? bytes : await compressed(bytes, OPTIONS));
}

export function packed(bytes: Uint8Array): Uint8Array {
  return smaller(bytes, bytes.length < COMPRESSED_FROM_BYTES ? bytes : zstdCompressSync(bytes, OPTIONS));
}

export function unpacked(bytes: Uint8Array): Uint8Array {
  assert(bytes[0] === PLAIN || bytes[0] === ZSTD, `bytes are packed in a way that is known, not ${bytes[0]}`);
  const packedBytes = bytes.subarray(1);
  return bytes[0] === PLAIN ? packedBytes : zstdDecompressSync(packedBytes);
}

function smaller(plain: Uint8Array, compact: Uint8Array): Uint8Array {
  return compact.length < plain.length ? joined(ZSTD, compact) : joined(PLAIN, plain);
}

function joined(kind: number, bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(1 + bytes.length);
  result[0] = kind;
  result.set(bytes, 1);
  return result;
}
