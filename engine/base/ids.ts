// Identifiers: a prefix that names the kind, then 26 Crockford base32 digits: 48 bits of time and 80 random bits. Ids
// sort by age. The database numbers the entries of the delivery log; their ids show that number in the same digits.

import type { RandomBytes } from './random.ts';

export type IdPrefix = 'acc' | 'wh' | 'run' | 'evt' | 'cli';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = DIGITS[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/** A new id such as `wh_01k2…`, unique across machines. `wallMs` is Unix epoch milliseconds. */
export function newId(prefix: IdPrefix, wallMs: number, randomBytes: RandomBytes): string {
  const random = BigInt(`0x${randomBytes(10).toString('hex')}`);
  return `${prefix}_${base32((BigInt(Math.trunc(wallMs)) << 80n) | random, 26)}`;
}

/** The public id of an entry of the delivery log, from its number. */
export function logId(number: bigint): string {
  return `log_${base32(number, 13)}`;
}

/** The number of a delivery log entry. Null if the text is not the id of one. */
export function logNumber(id: string): bigint | null {
  if (!LOG_ID.test(id)) return null;
  let number = 0n;
  for (const digit of id.slice(4)) number = number * 32n + BigInt(DIGITS.indexOf(digit));
  return number < 2n ** 63n ? number : null;
}

const LOG_ID = /^log_[0-9a-hjkmnp-tv-z]{13}$/;
const ID = /^(acc|wh|run|evt|cli)_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether `text` has the form of an id of this kind. Does not check that it exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return ID.test(text) && text.startsWith(`${prefix}_`);
}
