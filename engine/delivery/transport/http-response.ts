// The answer to one HTTP/1.1 request at a time, read as it comes: where its head ends, how long its body is, what of it is
// kept, and whether the connection can be used again.
//
// H1 What is read is bounded: the head with everything before it (interim answers) by ANSWER_HEADER_BYTES_MAX, the body by
//    ANSWER_READ_BYTES_MAX; of the body ANSWER_KEPT_BYTES_MAX are kept.
// H2 An answer that can be read in two ways is broken: two lengths, a length beside chunks, a line without a name, a line that
//    goes on in the next one, line ends other than CR LF, control characters in a line.
// H3 The connection is used again only when the answer's end was told by its head, nothing came after it, and nothing has to be
//    expected after it.

import { assert } from '#engine/base/assert.ts';
import {
  ANSWER_CHUNK_DIGITS_MAX,
  ANSWER_CHUNK_LINE_BYTES_MAX,
  ANSWER_HEADER_BYTES_MAX,
  ANSWER_KEPT_BYTES_MAX,
  ANSWER_READ_BYTES_MAX,
} from '#engine/base/limits.ts';
import { type AttemptFailure, type FailureCode, failed } from '#engine/delivery/attempt-result.ts';

/** `enough`: the body goes on, but no more of it is wanted. `broken`: see `failure`. */
export type Progress = 'more' | 'complete' | 'enough' | 'broken';

type State = 'head' | 'length' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'until close' | 'over';

const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const COLON = 58;
const SEMICOLON = 59;
const ZERO = 48;
const VERSION = Buffer.from('HTTP/1.');
const NO_BYTES = Buffer.alloc(0);

export class HttpResponse {
  #state: State = 'head';
  /** Bytes of a line or a head whose end has not come yet. */
  #held: Buffer = NO_BYTES;
  #headBytes = 0;
  #statusCode = 0;
  #reusable = false;
  #keepAliveMs: number | null = null;
  #contentLength = -1;
  #chunked = false;
  #coded = false;
  /** Of the body or the chunk, still to come. */
  #rest = 0;
  #bodyBytes = 0;
  #text = '';
  #kept: Buffer = NO_BYTES;
  #failure: AttemptFailure | null = null;

  /** 0 until the head has come. */
  get statusCode(): number {
    return this.#statusCode;
  }

  /** Whether another request may be sent over the connection. Known once the answer is complete. */
  get reusable(): boolean {
    return this.#reusable;
  }

  /** For how long the other side keeps an unused connection; null when it does not say. */
  get keepAliveMs(): number | null {
    return this.#keepAliveMs;
  }

  /** Why it is broken. */
  get failure(): AttemptFailure {
    assert(this.#failure !== null, 'only a broken answer is a failure');
    return this.#failure;
  }

  /** Not a byte of it has come. */
  get untouched(): boolean {
    return this.#state === 'head' && this.#headBytes === 0 && this.#held.length === 0;
  }

  /** The kept start of the body. */
  get text(): string {
    return this.#kept.length === 0 ? this.#text : this.#kept.toString('utf8');
  }

  /** Makes ready for the answer to the next request on the same connection. */
  next(): void {
    this.#state = 'head';
    this.#held = NO_BYTES;
    this.#headBytes = 0;
    this.#statusCode = 0;
    this.#bodyBytes = 0;
    this.#text = '';
    this.#kept = NO_BYTES;
  }

  /** Takes the bytes of `input` before `end`. They may be overwritten afterwards. */
  read(input: Buffer, end: number): Progress {
    let bytes = input;
    let to = end;
    if (this.#held.length > 0) {
      bytes = Buffer.concat([this.#held, input.subarray(0, end)]);
      to = bytes.length;
    }
    const searched = this.#held.length;
    this.#held = NO_BYTES;
    return this.#advance(bytes, to, searched);
  }

  /** The connection ended: the answer is complete if only that could tell its end. */
  ended(): Progress {
    if (this.#state === 'until close') return this.#complete(false);
    return this.#broken('the connection was closed before the answer was whole', 'connection_closed');
  }

  #advance(bytes: Buffer, to: number, searched: number): Progress {
    let at = 0;
    for (;;) {
      switch (this.#state) {
        case 'head': {
          const end = headEnd(bytes, at, to, searched);
          if (this.#headBytes + (end === -1 ? to : end) - at > ANSWER_HEADER_BYTES_MAX)
            return this.#broken("the answer's head is too long");
          if (end === -1) return this.#hold(bytes, at, to);
          this.#headBytes += end - at;
          if (!this.#readHead(bytes, at, end)) return 'broken';
          at = end;
          if (this.#statusCode < 200) {
            if (this.#statusCode === 101) return this.#broken('the answer changes the protocol');
            searched = at;
            break;
          }
          // They have no body. One that says that it has may send it all the same, and later than this.
          if (this.#statusCode === 204 || this.#statusCode === 304)
            return this.#complete(at === to && !this.#chunked && this.#contentLength <= 0);
          if (this.#chunked) this.#state = 'chunk size';
          else if (this.#contentLength === 0) return this.#complete(at === to);
          else if (this.#contentLength > 0) {
            this.#rest = this.#contentLength;
            this.#state = 'length';
          } else this.#state = 'until close';
          break;
        }
        case 'length':
        case 'chunk': {
          const end = Math.min(to, at + this.#rest);
          this.#rest -= end - at;
          this.#take(bytes, at, end);
          at = end;
          if (this.#bodyBytes > ANSWER_READ_BYTES_MAX) return 'enough';
          if (this.#rest > 0) return 'more';
          if (this.#state === 'length') return this.#complete(at === to);
          this.#state = 'chunk end';
          break;
        }
        case 'until close': {
          this.#take(bytes, at, to);
          return this.#bodyBytes > ANSWER_READ_BYTES_MAX ? 'enough' : 'more';
        }
        case 'chunk end': {
          if (to - at < 2) return this.#hold(bytes, at, to);
          if (bytes[at] !== CR || bytes[at + 1] !== LF) return this.#broken('a chunk is longer than it says');
          at += 2;
          this.#state = 'chunk size';
          break;
        }
        case 'chunk size': {
          const end = lineEnd(bytes, at, to);
          if ((end === -1 ? to : end) - at > ANSWER_CHUNK_LINE_BYTES_MAX)
            return this.#broken("a chunk's size line is too long");
          if (end === -1) return this.#hold(bytes, at, to);
          const size = endsWell(bytes, at, end) ? chunkSize(bytes, at, end - 2) : -1;
          if (size === -1) return this.#broken('a chunk has no size');
          // What only frames the chunks counts as read, too: an answer of empty extensions must end.
          this.#bodyBytes += end - at;
          at = end;
          this.#rest = size;
          this.#state = size === 0 ? 'trailers' : 'chunk';
          break;
        }
        case 'trailers': {
          // A line that comes byte by byte is not searched from its start each time.
          const end = lineEnd(bytes, Math.max(at, searched), to);
          if (this.#headBytes + (end === -1 ? to : end) - at > ANSWER_HEADER_BYTES_MAX)
            return this.#broken("the answer's head is too long");
          if (end === -1) return this.#hold(bytes, at, to);
          this.#headBytes += end - at;
          if (!endsWell(bytes, at, end)) return this.#broken("a line after the answer's chunks makes no sense");
          const empty = end - at === 2;
          at = end;
          if (empty) return this.#complete(at === to);
          break;
        }
        case 'over':
          return this.#broken('more came than the answer');
      }
    }
  }

  #hold(bytes: Buffer, at: number, to: number): Progress {
    this.#held = at === to ? NO_BYTES : Buffer.from(bytes.subarray(at, to));
    return 'more';
  }

  #complete(exact: boolean): Progress {
    this.#state = 'over';
    this.#reusable &&= exact;
    return 'complete';
  }

  #broken(detail: string, code: FailureCode = 'bad_answer'): Progress {
    this.#failure = failed(code, detail);
    this.#reusable = false;
    return 'broken';
  }

  #take(bytes: Buffer, from: number, to: number): void {
    const before = this.#bodyBytes;
    this.#bodyBytes += to - from;
    const keptBytes = Math.min(to - from, ANSWER_KEPT_BYTES_MAX - this.#kept.length);
    if (keptBytes <= 0) return;
    // Most bodies come in one piece, of which no copy is needed.
    if (before === 0 && this.#rest === 0 && this.#state === 'length')
      this.#text = bytes.toString('utf8', from, from + keptBytes);
    else this.#kept = Buffer.concat([this.#kept, bytes.subarray(from, from + keptBytes)]);
  }

  /** The status line and the header lines, which end with an empty one before `end`. */
  #readHead(bytes: Buffer, from: number, end: number): boolean {
    this.#contentLength = -1;
    this.#chunked = false;
    this.#coded = false;
    this.#keepAliveMs = null;
    for (let i = 0; i < VERSION.length; i++) if (bytes[from + i] !== VERSION[i]) return this.#notHttp();
    const minor = bytes[from + 7]! - ZERO;
    let status = 0;
    for (let i = 9; i < 12; i++) {
      const digit = bytes[from + i]! - ZERO;
      if (digit < 0 || digit > 9) return this.#notHttp();
      status = status * 10 + digit;
    }
    const after = bytes[from + 12];
    if ((minor !== 0 && minor !== 1) || bytes[from + 8] !== SPACE || status < 100 || (after !== SPACE && after !== CR))
      return this.#notHttp();
    this.#statusCode = status;
    this.#reusable = minor === 1;
    let at = from + 12;
    for (;;) {
      const lineTo = textEnd(bytes, at);
      if (bytes[lineTo] !== CR || bytes[lineTo + 1] !== LF) break;
      if (at > from + 12 && !this.#readField(bytes, at, lineTo)) break;
      at = lineTo + 2;
      if (at === end - 2) return true;
    }
    this.#failure ??= failed('bad_answer', "a line of the answer's head makes no sense");
    return false;
  }

  #notHttp(): boolean {
    this.#broken('the answer is not HTTP/1.1');
    return false;
  }

  /** One header line without its end. */
  #readField(bytes: Buffer, from: number, end: number): boolean {
    let colon = from;
    for (; colon < end; colon++) {
      const byte = bytes[colon]!;
      if (byte === COLON) break;
      if (byte === SPACE || byte === TAB) return false;
    }
    if (colon === end || colon === from) return false;
    switch (colon - from) {
      case 10:
        if (isName(bytes, from, 'connection')) {
          if (/(^|,)[ \t]*close[ \t]*(,|$)/i.test(fieldValue(bytes, colon, end))) this.#reusable = false;
        } else if (isName(bytes, from, 'keep-alive')) {
          const timeout = /(?:^|,)[ \t]*timeout=(\d{1,6})/i.exec(fieldValue(bytes, colon, end));
          if (timeout !== null) this.#keepAliveMs = Number(timeout[1]) * 1_000;
        }
        return true;
      case 14:
        return !isName(bytes, from, 'content-length') || this.#readLength(bytes, colon + 1, end);
      case 17:
        return !isName(bytes, from, 'transfer-encoding') || this.#readCoding(fieldValue(bytes, colon, end));
      default:
        return true;
    }
  }

  #readLength(bytes: Buffer, from: number, end: number): boolean {
    let at = from;
    let to = end;
    while (at < to && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
    while (to > at && (bytes[to - 1] === SPACE || bytes[to - 1] === TAB)) to--;
    let length = 0;
    if (at === to || to - at > 15) return false;
    for (; at < to; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) return false;
      length = length * 10 + digit;
    }
    if (this.#coded || (this.#contentLength !== -1 && this.#contentLength !== length)) {
      this.#broken('the answer says two lengths');
      return false;
    }
    this.#contentLength = length;
    return true;
  }

  /** A body in chunks ends with them; one coded in any other way ends with the connection. */
  #readCoding(value: string): boolean {
    if (this.#contentLength !== -1) {
      this.#broken('the answer says two lengths');
      return false;
    }
    this.#coded = true;
    this.#chunked = /(^|,)[ \t]*chunked[ \t]*$/i.test(value);
    return true;
  }
}

/** Where the head ends: after its empty line; -1 when that has not come. What was searched before is not searched again. */
function headEnd(bytes: Buffer, from: number, to: number, searched: number): number {
  for (let i = Math.max(from, searched - 3) + 3; i < to; i++) {
    if (bytes[i] === LF && bytes[i - 1] === CR && bytes[i - 2] === LF && bytes[i - 3] === CR) return i + 1;
  }
  return -1;
}

/** Where the text that begins here ends: at the first control character other than a tab. A head has some at its end. */
function textEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! >= SPACE || bytes[at] === TAB) at++;
  return at;
}

/** After the next LF; -1 when it has not come. */
function lineEnd(bytes: Buffer, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] === LF) return i + 1;
  return -1;
}

/** Whether the line with its end is text and then CR LF. */
function endsWell(bytes: Buffer, from: number, end: number): boolean {
  return end - from >= 2 && bytes[end - 2] === CR && textEnd(bytes, from) === end - 2;
}

/** The hexadecimal number at the start of a chunk's line; -1 when there is none. */
function chunkSize(bytes: Buffer, from: number, end: number): number {
  let size = 0;
  let at = from;
  for (; at < end; at++) {
    const digit = hexDigit(bytes[at]!);
    if (digit === -1) break;
    if (at - from === ANSWER_CHUNK_DIGITS_MAX) return -1;
    size = size * 16 + digit;
  }
  if (at === from) return -1;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at === end || bytes[at] === SEMICOLON ? size : -1;
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= ZERO + 9) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Whether these bytes are the name, in any case. */
function isName(bytes: Buffer, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if ((bytes[from + i]! | 0x20) !== name.charCodeAt(i)) return false;
  return true;
}

function fieldValue(bytes: Buffer, colon: number, end: number): string {
  return bytes.toString('latin1', colon + 1, end);
}
