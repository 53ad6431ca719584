// Which update a delivery is, told from its bytes without parsing the rest, so that receivers cost little; and when it is out of
// order.

/** Attempts start in order but may overtake each other on parallel connections; only far jumps back are disorder. */
export const OVERTAKEN_MAX = 256;

const SEQUENCE = Buffer.from('"sequence":');

/** The number after `"sequence":`; 0 without any. */
export function sequenceIn(body: Buffer): number {
  const found = body.indexOf(SEQUENCE);
  if (found === -1) return 0;
  let at = found + SEQUENCE.length;
  let value = 0;
  for (let digit = body[at]! - 48; digit >= 0 && digit <= 9; digit = body[++at]! - 48) value = value * 10 + digit;
  return value;
}
