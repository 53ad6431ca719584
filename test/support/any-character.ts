// Any character of Unicode, as a unit of `fc.string`. The library has one ('binary'), which first lists all million of them,
// in each process: that takes a second.

import fc from 'fast-check';

/** Halves of pairs are no characters. */
const HALVES_FROM = 0xd800;
const HALVES = 0x800;
const LAST = 0x10ffff;

export const anyCharacter = fc.integer({ min: 0, max: LAST - HALVES }).map(
  (number) => String.fromCodePoint(number < HALVES_FROM ? number : number + HALVES),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new TypeError('not one character');
    const code = text.codePointAt(0)!;
    return code < HALVES_FROM ? code : code - HALVES;
  },
);
