// Reads an update's sequence from the bytes of a body without parsing the rest, to keep receivers cheap; and defines
// when an arrival counts as out of order.

/** Attempts start in order but may overtake each other on parallel connections. Only a larger step back is a fault. */
export const OVERTAKEN_MAX = 256;

const SEQUENCE = Buffer.from('"sequence":');

/** The number after `"sequence":`, or 0 if there is none. */
export function sequenceIn(body: Buffer): number {
  const found = body.indexOf(SEQUENCE);
  if (found === -1) return 0;
  let at = found + SEQUENCE.length;
  let value = 0;
  for (let digit = body[at]! - 48; digit >= 0 && digit <= 9; digit = body[++at]! - 48) value = value * 10 + digit;
  return value;
}
