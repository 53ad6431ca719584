// Structured data as bytes: MessagePack through msgpackr, with no record extension so that any reader can open it.

import { Packr } from 'msgpackr';

const packr = new Packr({ useRecords: false, moreTypes: false });

export function encode(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function decode(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
