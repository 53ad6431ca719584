// Writes a message of Protocol Buffers by hand, for the few that are not worth an object of their own.

const VARINT = 0;
const LENGTH_DELIMITED = 2;
/** Of a field's number and a length or whole number, together. */
const VARINTS_BYTES_MAX = 20;
const ROOM = 64;

export class ProtobufWriter {
  #bytes: Buffer;
  #length = 0;

  /** It grows beyond `room` bytes if it must. */
  constructor(room = ROOM) {
    this.#bytes = Buffer.allocUnsafe(room);
  }

  /** A whole number that is not negative. */
  number(field: number, value: number): this {
    this.#need(VARINTS_BYTES_MAX);
    this.#varint(field * 8 + VARINT);
    this.#varint(value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#begin(field, value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(field: number, value: string): this {
    const bytes = Buffer.byteLength(value);
    this.#begin(field, bytes);
    this.#length += this.#bytes.write(value, this.#length, bytes);
    return this;
  }

  message(field: number, value: ProtobufWriter): this {
    return this.bytes(field, value.written());
  }

  /** Write nothing more to it. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #begin(field: number, bytes: number): void {
    this.#need(VARINTS_BYTES_MAX + bytes);
    this.#varint(field * 8 + LENGTH_DELIMITED);
    this.#varint(bytes);
  }

  /** Seven bits a byte, the lowest first. Without bit operators, which know 32 bits only. */
  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) + 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #need(bytes: number): void {
    const least = this.#length + bytes;
    if (least <= this.#bytes.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(least, 2 * this.#bytes.length));
    bigger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bigger;
  }
}
