// Converts a Python literal, as `repr` writes it, to JSON text: lists, tuples, dicts, strings in either quote with
// their escapes, integers and floats, True, False and None. Numbers and the order of keys stay as written. Values
// without a JSON counterpart (sets, bytes, complex numbers, infinities, keys that are neither strings nor integers) are
// refused.

import { MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { LineProblem } from './line-problem.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
/** The list around a message adds a level to the deepest message. */
const DEPTH_MAX = MERGE_DEPTH_MAX + 1;

const SPACE = /[ \t\f]*/y;
const WORD = /[A-Za-z_]\w*/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Characters that need no escape in JSON and have no meaning in the literal. */
const PLAIN_TEXT = /[^\\'"\p{Cc}\p{Cs}]*/uy;
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The JSON text of the one literal in the line. Throws a LineProblem with the column of the problem. */
export function jsonOfPythonLiteral(text: string): string {
  const reader = new LiteralReader(text);
  const json = reader.value(0);
  reader.end();
  return json;
}

class LiteralReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): string {
    if (depth > DEPTH_MAX) throw this.#problem(`it is nested more than ${DEPTH_MAX} deep`);
    this.#skipSpace();
    const first = this.#text[this.#position];
    switch (first) {
      case undefined:
        throw this.#problem('the line ends where a value should follow');
      case '[':
        return this.#list(']', depth);
      case '(':
        return this.#tuple(depth);
      case '{':
        return this.#dict(depth);
      case "'":
      case '"':
        return JSON.stringify(this.#string(first));
      default:
        return this.#number() ?? this.#word();
    }
  }

  end(): void {
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#problem('something follows the end of the list');
  }

  #list(close: string, depth: number): string {
    this.#position++;
    let json = '[';
    while (!this.#takes(close)) {
      json += json.length === 1 ? this.value(depth + 1) : `,${this.value(depth + 1)}`;
      this.#separator(close);
    }
    return `${json}]`;
  }

  /** Parentheses around one value without a comma are not a tuple. */
  #tuple(depth: number): string {
    const start = this.#position;
    const json = this.#list(')', depth);
    const inside = this.#text.slice(start + 1, this.#position - 1);
    if (json !== '[]' && !inside.includes(',')) {
      this.#position = start;
      throw this.#problem('a tuple of one value needs a comma');
    }
    return json;
  }

  #dict(depth: number): string {
    this.#position++;
    let json = '{';
    while (!this.#takes('}')) {
      const start = this.#position;
      const key = this.value(depth + 1);
      if (!this.#takes(':')) throw this.#problem('":" should follow the key of a dict');
      const name = key.startsWith('"') ? key : /^-?\d+$/.test(key) ? `"${key}"` : null;
      if (name === null) {
        this.#position = start;
        throw this.#problem('the key of a dict is neither a string nor an integer');
      }
      json += `${json.length === 1 ? '' : ','}${name}:${this.value(depth + 1)}`;
      this.#separator('}');
    }
    return `${json}}`;
  }

  /** A comma, or nothing before the end of the collection. */
  #separator(close: string): void {
    if (this.#takes(',')) return;
    if (this.#text[this.#position] !== close) throw this.#problem(`"," or "${close}" should follow`);
  }

  #string(quote: string): string {
    this.#position++;
    let value = '';
    for (;;) {
      value += this.#match(PLAIN_TEXT) ?? '';
      const next = this.#text[this.#position];
      if (next === undefined) throw this.#problem('a string has no end');
      if (next === '\\') {
        value += this.#escape();
        continue;
      }
      this.#position++;
      if (next === quote) return value;
      value += next;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#position + 1] ?? '';
    const plain = Object.hasOwn(ESCAPED, letter) ? ESCAPED[letter] : undefined;
    if (plain !== undefined) {
      this.#position += 2;
      return plain;
    }
    const length = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter]! : null;
    const octal = /^[0-7]{1,3}/.exec(this.#text.slice(this.#position + 1, this.#position + 4))?.[0];
    const digits = length === null ? octal : this.#text.slice(this.#position + 2, this.#position + 2 + length);
    if (digits === undefined) throw this.#problem('unknown escape in a string');
    const code = Number.parseInt(digits, length === null ? 8 : 16);
    const whole = length === null || (digits.length === length && /^[0-9a-fA-F]+$/.test(digits));
    if (!whole || code > 0x10ffff) throw this.#problem('an escape in a string is not a character');
    this.#position += length === null ? 1 + digits.length : 2 + length;
    return String.fromCodePoint(code);
  }

  #number(): string | null {
    const start = this.#position;
    const digits = this.#match(NUMBER);
    if (digits === null) return null;
    if (/[\w.]/.test(this.#text[this.#position] ?? '')) {
      this.#position = start;
      throw this.#problem('a message cannot hold this number');
    }
    if (JSON_NUMBER.test(digits)) {
      if (Number.isFinite(Number(digits))) return digits;
    } else if (!/^[+-]?0\d*[1-9]/.test(digits) || /[.eE]/.test(digits)) {
      const value = Number(digits);
      if (Number.isFinite(value)) return JSON.stringify(value);
    }
    this.#position = start;
    throw this.#problem('a message cannot hold this number');
  }

  #word(): string {
    const start = this.#position;
    const word = this.#match(WORD);
    const json = word !== null && Object.hasOwn(WORDS, word) ? WORDS[word]! : null;
    if (json !== null) return json;
    this.#position = start;
    throw this.#problem('a message cannot hold this value');
  }

  #takes(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#position] !== character) return false;
    this.#position++;
    this.#skipSpace();
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#position += found.length;
    return found;
  }

  #problem(problem: string): LineProblem {
    return new LineProblem(problem, this.#position + 1);
  }
}
