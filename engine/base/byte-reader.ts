// Reads what a ByteWriter has written.

import { assert } from './assert.ts';

const BITWISE_SHIFT_MAX = 21;

export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      assert(this.#at < this.#bytes.length, 'the bytes end within a number');
      const byte = this.#bytes[this.#at++]!;
      value += shift <= BITWISE_SHIFT_MAX ? (byte & 127) << shift : (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const bytes = this.number();
    const text = this.#bytes.toString('utf8', this.#at, this.#at + bytes);
    this.#skip(bytes);
    return text;
  }

  /** A view of the next bytes. */
  bytes(length: number): Uint8Array {
    const from = this.#at;
    this.#skip(length);
    return this.#bytes.subarray(from, this.#at);
  }

  #skip(bytes: number): void {
    this.#at += bytes;
    assert(this.#at <= this.#bytes.length, 'the bytes end too early');
  }
}
