// Parses the responses on one HTTP/1.1 connection, one after the other, as their bytes arrive: where the head ends, how
// long the body is, which part of it we keep, and whether the connection can be reused.
//
// H1 Reading is bounded: the head, including interim responses before it, by RESPONSE_HEADER_BYTES_MAX, the body by
//    RESPONSE_READ_BYTES_MAX. The first RESPONSE_KEPT_BYTES_MAX of the body are kept.
// H2 An ambiguous response is broken: two lengths, a length beside chunks, a header line without a name, a folded
//    header line, a line end other than CR LF, a control character in a line.
// H3 The connection is reused only if the head said where the response ends, no byte came after that end, and none can.

import { assert } from '#engine/base/assert.ts';
import {
  ANSWER_CHUNK_DIGITS_MAX,
  RESPONSE_CHUNK_LINE_BYTES_MAX,
  RESPONSE_HEADER_BYTES_MAX,
  RESPONSE_KEPT_BYTES_MAX,
  RESPONSE_READ_BYTES_MAX,
} from '#engine/base/limits.ts';
import { type AttemptFailure, type FailureCode, failed } from '#engine/delivery/attempt-result.ts';

/** `enough`: the body is longer than we read. `broken`: see `failure`. */
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
  /** Bytes of a line or a head whose end has not arrived yet. */
  #held: Buffer = NO_BYTES;
  #headBytes = 0;
  #statusCode = 0;
  #reusable = false;
  #keepAliveMs: number | null = null;
  #contentLength = -1;
  #chunked = false;
  #coded = false;
  /** Bytes of the body or the chunk that are still to come. */
  #rest = 0;
  #bodyBytes = 0;
  #text = '';
  #kept: Buffer = NO_BYTES;
  #failure: AttemptFailure | null = null;

  /** 0 until the head has arrived. */
  get statusCode(): number {
    return this.#statusCode;
  }

  /** Whether the connection can take another request. Known once the response is complete. */
  get reusable(): boolean {
    return this.#reusable;
  }

  /** How long the server keeps an idle connection; null if it does not say. */
  get keepAliveMs(): number | null {
    return this.#keepAliveMs;
  }

  /** Why the response is broken. Only for a broken one. */
  get failure(): AttemptFailure {
    assert(this.#failure !== null, 'only a broken response is a failure');
    return this.#failure;
  }

  /** The kept start of the body. */
  get text(): string {
    return this.#kept.length === 0 ? this.#text : this.#kept.toString('utf8');
  }

  /** Resets the parser for the next response on this connection. */
  reset(): void {
    this.#state = 'head';
    this.#held = NO_BYTES;
    this.#headBytes = 0;
    this.#statusCode = 0;
    this.#bodyBytes = 0;
    this.#text = '';
    this.#kept = NO_BYTES;
  }

  /** Parses the bytes of `input` before `end`. The caller may overwrite them afterwards. */
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

  /** The connection has ended. The response is complete if its head said that the end of the connection ends it. */
  ended(): Progress {
    if (this.#state === 'until close') return this.#complete(false);
    return this.#broken('the connection was closed before the response was complete', 'connection_closed');
  }

  #advance(bytes: Buffer, to: number, searched: number): Progress {
    let at = 0;
    for (;;) {
      switch (this.#state) {
        case 'head': {
          const end = headEnd(bytes, at, to, searched);
          if (this.#headBytes + (end === -1 ? to : end) - at > RESPONSE_HEADER_BYTES_MAX)
            return this.#broken('the response head is too long');
          if (end === -1) return this.#hold(bytes, at, to);
          this.#headBytes += end - at;
          if (!this.#readHead(bytes, at, end)) return 'broken';
          at = end;
          if (this.#statusCode < 200) {
            if (this.#statusCode === 101) return this.#broken('the response changes the protocol');
            searched = at;
            break;
          }
          // These have no body. A server that announces one anyway may still send it later.
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
          if (this.#bodyBytes > RESPONSE_READ_BYTES_MAX) return 'enough';
          if (this.#rest > 0) return 'more';
          if (this.#state === 'length') return this.#complete(at === to);
          this.#state = 'chunk end';
          break;
        }
        case 'until close': {
          this.#take(bytes, at, to);
          return this.#bodyBytes > RESPONSE_READ_BYTES_MAX ? 'enough' : 'more';
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
          if ((end === -1 ? to : end) - at > RESPONSE_CHUNK_LINE_BYTES_MAX)
            return this.#broken("a chunk's size line is too long");
          if (end === -1) return this.#hold(bytes, at, to);
          const size = isTextLine(bytes, at, end) ? chunkSize(bytes, at, end - 2) : -1;
          if (size === -1) return this.#broken('a chunk has no size');
          // The size lines count as well, so that a response of endless chunk extensions is cut off.
          this.#bodyBytes += end - at;
          at = end;
          this.#rest = size;
          this.#state = size === 0 ? 'trailers' : 'chunk';
          break;
        }
        case 'trailers': {
          // Do not search a line that arrives byte by byte from its start each time.
          const end = lineEnd(bytes, Math.max(at, searched), to);
          if (this.#headBytes + (end === -1 ? to : end) - at > RESPONSE_HEADER_BYTES_MAX)
            return this.#broken('the response head is too long');
          if (end === -1) return this.#hold(bytes, at, to);
          this.#headBytes += end - at;
          if (!isTextLine(bytes, at, end)) return this.#broken('the response has an invalid line after its chunks');
          const empty = end - at === 2;
          at = end;
          if (empty) return this.#complete(at === to);
          break;
        }
        case 'over':
          return this.#broken('bytes followed the response');
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
    const keptBytes = Math.min(to - from, RESPONSE_KEPT_BYTES_MAX - this.#kept.length);
    if (keptBytes <= 0) return;
    // Most bodies arrive in one piece, which needs no copy.
    if (before === 0 && this.#rest === 0 && this.#state === 'length')
      this.#text = bytes.toString('utf8', from, from + keptBytes);
    else this.#kept = Buffer.concat([this.#kept, bytes.subarray(from, from + keptBytes)]);
  }

  /** Parses the status line and the header lines. They end with an empty line before `end`. */
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
    this.#failure ??= failed('bad_answer', 'the response head has an invalid line');
    return false;
  }

  #notHttp(): boolean {
    this.#broken('the response is not HTTP/1.1');
    return false;
  }

  /** Parses one header line, without its line end. */
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
      this.#broken('the response gives two lengths');
      return false;
    }
    this.#contentLength = length;
    return true;
  }

  /** A chunked body ends with its last chunk; one with any other transfer coding ends with the connection. */
  #readCoding(value: string): boolean {
    if (this.#contentLength !== -1) {
      this.#broken('the response gives two lengths');
      return false;
    }
    this.#coded = true;
    this.#chunked = /(^|,)[ \t]*chunked[ \t]*$/i.test(value);
    return true;
  }
}

/**
 * Returns where the head ends, after its empty line, or -1 if that has not arrived. Skips the bytes before `searched`.
 */
function headEnd(bytes: Buffer, from: number, to: number, searched: number): number {
  for (let i = Math.max(from, searched - 3) + 3; i < to; i++) {
    if (bytes[i] === LF && bytes[i - 1] === CR && bytes[i - 2] === LF && bytes[i - 3] === CR) return i + 1;
  }
  return -1;
}

/** Returns the end of the text at `from`: the first control character other than a tab. Every head contains one. */
function textEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! >= SPACE || bytes[at] === TAB) at++;
  return at;
}

/** Returns the offset after the next LF, or -1 if there is none. */
function lineEnd(bytes: Buffer, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] === LF) return i + 1;
  return -1;
}

/** Whether the line is text followed by CR LF. */
function isTextLine(bytes: Buffer, from: number, end: number): boolean {
  return end - from >= 2 && bytes[end - 2] === CR && textEnd(bytes, from) === end - 2;
}

/** Returns the hexadecimal number at the start of a chunk's size line, or -1 if there is none. */
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

/** Whether these bytes are the name, in upper or lower case. */
function isName(bytes: Buffer, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if ((bytes[from + i]! | 0x20) !== name.charCodeAt(i)) return false;
  return true;
}

function fieldValue(bytes: Buffer, colon: number, end: number): string {
  return bytes.toString('latin1', colon + 1, end);
}
