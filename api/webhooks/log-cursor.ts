// The cursor of the next page of a delivery log. Opaque to customers: it holds the number of the last entry shown, so
// pages stay stable while newer attempts arrive.

const NUMBER_MAX = 2n ** 63n - 1n;

export function writeCursor(logNo: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(logNo);
  return bytes.toString('base64url');
}

/** Null if the text is not a valid cursor. */
export function readCursor(text: string): bigint | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 8 || bytes.toString('base64url') !== text) return null;
  const logNo = bytes.readBigUInt64BE();
  return logNo > NUMBER_MAX ? null : logNo;
}
