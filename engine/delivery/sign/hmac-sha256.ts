// HMAC-SHA256 (RFC 2104) for many short messages under one key: two one-shot hashes over memory that is reused.
// `createHmac` makes three native objects for each message, which takes 1.5 times as long and burdens the garbage
// collector.

import { hash } from 'node:crypto';
import { SIGN_SLAB_BYTES } from '#engine/base/limits.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** The input of the first hash: the inner key block and the message. Longer inputs get memory of their own. */
const MESSAGE = Buffer.allocUnsafeSlow(SIGN_SLAB_BYTES);
/** The input of the second hash: the outer key block and the first digest. */
const OUTER = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES);

export class HmacSha256 {
  readonly #innerBlock = new Uint8Array(BLOCK_BYTES).fill(0x36);
  readonly #outerBlock = new Uint8Array(BLOCK_BYTES).fill(0x5c);

  constructor(key: Uint8Array) {
    const short = key.length <= BLOCK_BYTES ? key : hash('sha256', key, 'buffer');
    for (let i = 0; i < short.length; i++) {
      this.#innerBlock[i]! ^= short[i]!;
      this.#outerBlock[i]! ^= short[i]!;
    }
  }

  /** Returns the digest of `head`, which must be ASCII, followed by `body`. */
  digest(head: string, body: Uint8Array, encoding: 'hex' | 'base64'): string {
    const bytes = BLOCK_BYTES + head.length + body.length;
    const message = bytes <= MESSAGE.length ? MESSAGE : Buffer.allocUnsafeSlow(bytes);
    message.set(this.#innerBlock);
    message.write(head, BLOCK_BYTES, 'latin1');
    message.set(body, BLOCK_BYTES + head.length);
    OUTER.set(this.#outerBlock);
    OUTER.write(hash('sha256', message.subarray(0, bytes), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', OUTER, encoding);
  }
}
