// Writes a message of Protocol Buffers by hand, for the few that are not worth an object of their own.

const VARINT = 0;
const LENGTH_DELIMITED = 2;

export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];

  /** A whole number that is not negative. */
  number(field: number, value: number): this {
    this.#parts.push(varint(field * 8 + VARINT), varint(value));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + LENGTH_DELIMITED), varint(value.length), value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  message(field: number, value: ProtobufWriter): this {
    return this.bytes(field, value.written());
  }

  written(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** Seven bits a byte, the lowest first. Without bit operators, which know 32 bits only. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
