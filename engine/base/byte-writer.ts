// Writes numbers and texts into a buffer that grows and is used again. Numbers take seven bits a byte, the lowest first,
// so small ones take one.

const FIRST_BYTES = 64 * 1_024;
/** Above it, bit operations on a number fail. */
const BITWISE_MAX = 2 ** 31;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A whole number from 0 on. */
  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    let rest = value;
    while (rest >= BITWISE_MAX) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A whole number that may be negative. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** What UTF-8 cannot express becomes U+FFFD. */
  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.number(bytes);
    if (this.#length + bytes > this.#bytes.length) this.#grow(bytes);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(value: Uint8Array): void {
    if (this.#length + value.length > this.#bytes.length) this.#grow(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** A view of what was written since `from`. The next write may change it. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  /** Starts over. */
  clear(): void {
    this.#length = 0;
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
