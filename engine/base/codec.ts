// Encodes structured data as MessagePack with msgpackr. Its record extension is off, so any MessagePack reader can
// decode it.

import { Packr } from 'msgpackr';

const packr = new Packr({ useRecords: false, moreTypes: false });

export function encode(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function decode(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
