// A part of an answer that is short enough for an assistant (MC1).
//
// Of a list, the first items are shown whole: half of every item is of no use. One that would take most of the room is
// shown in part. The fields of an object share the room; what the small ones do not need is for the large ones.

import { quoted } from '#engine/base/quoted-text.ts';
import { ToolError } from './tool-error.ts';

/** Which part is meant. Without it: all of it. */
export interface Part {
  /** A JSON pointer (RFC 6901). */
  readonly at?: string;
  /** The first item or character of the part. */
  readonly from?: number;
}

export interface LeftOut {
  /** A JSON pointer to a list, an object or a text that is not shown to its end. */
  readonly at: string;
  /** The first item, field or character that is not shown. */
  readonly from: number;
  /** How many it has. */
  readonly of: number;
}

export interface Excerpt {
  readonly data: unknown;
  /** In the order of the answer. */
  readonly leftOut: readonly LeftOut[];
}

/** The least that is worth showing of something long, in characters. */
const SHARE_CHARS_MIN = 40;

/** Throws a ToolError if there is no such part. */
export function excerptOf(answer: unknown, { at = '', from = 0 }: Part, charsMax: number): Excerpt {
  const part = partAt(answer, at);
  if (from > 0 && from >= countOf(part))
    throw new ToolError('invalid_arguments', `from must be less than ${countOf(part)} here`);
  const leftOut: LeftOut[] = [];
  const data = shortened({ value: part, at, from }, charsMax, leftOut);
  return { data, leftOut };
}

function partAt(answer: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) throw new ToolError('invalid_arguments', 'at must begin with /');
  let part = answer;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key))
      throw new ToolError('invalid_arguments', `at: the answer has no ${quoted(key)} there`);
    part = (part as Readonly<Record<string, unknown>>)[key];
  }
  return part;
}

function countOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

interface Place {
  readonly value: unknown;
  readonly at: string;
  readonly from: number;
}

function shortened({ value, at, from }: Place, chars: number, leftOut: LeftOut[]): unknown {
  if (typeof value === 'string') return shortenedText(value, at, from, chars, leftOut);
  if (Array.isArray(value)) return shortenedList(value, at, from, chars, leftOut);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    return shortenedObject(entries, at, from, chars, leftOut);
  }
  return value;
}

function shortenedText(text: string, at: string, from: number, chars: number, leftOut: LeftOut[]): string {
  let end = Math.min(text.length, from + Math.max(chars - 2, 0));
  // Escapes make it longer than it is.
  while (end > from && charsOf(text.slice(from, end)) > chars) end = from + Math.floor((end - from) * 0.8);
  if (end < text.length) leftOut.push({ at, from: end, of: text.length });
  return text.slice(from, end);
}

function shortenedList(
  items: readonly unknown[],
  at: string,
  from: number,
  chars: number,
  leftOut: LeftOut[],
): unknown[] {
  const shown: unknown[] = [];
  let left = chars - 2;
  for (let index = from; index < items.length; index++) {
    const item = items[index];
    const itemChars = charsOf(item) + 1;
    const isLarge = left >= Math.max(chars / 2, SHARE_CHARS_MIN);
    if (itemChars > left && !isLarge) {
      leftOut.push({ at, from: index, of: items.length });
      break;
    }
    shown.push(itemChars <= left ? item : shortened({ value: item, at: `${at}/${index}`, from: 0 }, left, leftOut));
    left -= itemChars;
  }
  return shown;
}

function shortenedObject(
  entries: readonly (readonly [string, unknown])[],
  at: string,
  from: number,
  chars: number,
  leftOut: LeftOut[],
): Record<string, unknown> {
  const measured = entries.slice(from).map(([key, value]) => ({
    key,
    value,
    keyChars: charsOf(key) + 2,
    valueChars: charsOf(value),
  }));
  // As many fields as have room for a little of each.
  let left = chars - 2;
  let count = 0;
  for (const { keyChars, valueChars } of measured) {
    left -= keyChars + Math.min(valueChars, SHARE_CHARS_MIN);
    if (left < 0) break;
    count++;
  }
  const shown = measured.slice(0, count);
  const share = shareOf(
    shown.map(({ valueChars }) => valueChars),
    chars - 2 - shown.reduce((sum, { keyChars }) => sum + keyChars, 0),
  );
  const part: Record<string, unknown> = {};
  for (const { key, value, valueChars } of shown) {
    const place = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    part[key] = valueChars <= share ? value : shortened({ value, at: place, from: 0 }, share, leftOut);
  }
  if (count < measured.length) leftOut.push({ at, from: from + count, of: entries.length });
  return part;
}

/** The most that each may have so that all of them fit: what small ones do not need is shared by the others. */
function shareOf(needs: readonly number[], chars: number): number {
  let left = chars;
  const ascending = needs.toSorted((a, b) => a - b);
  for (const [index, need] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (need > share) return share;
    left -= need;
  }
  return Number.POSITIVE_INFINITY;
}

function charsOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
