// The place in a delivery log where the next page goes on. Opaque to customers: it holds the span and the number of the last
// entry shown, so pages stay as they are while newer attempts arrive.

import type { LogPlace } from './log-pages.ts';

const SPAN_BYTES = 4;
const BYTES = SPAN_BYTES + 8;
const NUMBER_MAX = 2n ** 63n - 1n;

export function writeCursor({ span, before }: LogPlace): string {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeInt32BE(span);
  bytes.writeBigInt64BE(before, SPAN_BYTES);
  return bytes.toString('base64url');
}

/** Null when the text is not a cursor of ours. */
export function readCursor(text: string): LogPlace | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== BYTES || bytes.toString('base64url') !== text) return null;
  const before = bytes.readBigUInt64BE(SPAN_BYTES);
  return before > NUMBER_MAX ? null : { span: bytes.readInt32BE(), before };
}
