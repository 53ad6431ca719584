// Reads server-sent events as the HTML standard defines them: lines end with LF, CR or CR LF, wherever the network cuts
// them; comments and unknown fields are ignored; an event that is cut off does not count.
//
// The id of an event stays in force for those after it, over connections too. A block of lines without data is no event, yet
// its id counts.

import { EVENT_CHARS_MAX } from './bounds.ts';

export interface ServerEvent {
  /** The last id so far; empty if there was none. */
  readonly id: string;
  /** `message` if the event does not say. */
  readonly event: string;
  readonly data: string;
}

export class EventReader {
  // A byte order mark at the start is not part of the first line: the decoder drops it. Bytes that are not UTF-8 are an
  // error, because they would not be the bytes that were sent.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The line that has not ended yet. */
  #line = '';
  /** The last text ended with CR: an LF that comes next belongs to it. */
  #endsWithCr = false;
  #id: string;
  #event = '';
  #data: string[] = [];
  #dataChars = 0;
  #lastId: string;

  /** `lastId`: that of the connection before, which stays in force until this one has another. */
  constructor(lastId = '') {
    this.#id = lastId;
    this.#lastId = lastId;
  }

  /** The id with which to come back, after all events that `read` has returned; empty if there was none. */
  get lastId(): string {
    return this.#lastId;
  }

  /** Returns the events that end in these bytes. Throws if one is too long, or if the bytes are not UTF-8. */
  read(bytes: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return events;
    if (this.#endsWithCr && text.startsWith('\n')) text = text.slice(1);
    this.#endsWithCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop()!;
    for (const ended of lines) {
      const line = this.#line + ended;
      this.#line = '';
      if (line === '') this.#endBlock(events);
      else this.#take(line);
    }
    this.#line += rest;
    if (this.#line.length + this.#dataChars > EVENT_CHARS_MAX) {
      throw new RangeError(`an event has more than ${EVENT_CHARS_MAX} characters`);
    }
    return events;
  }

  #take(line: string): void {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.#data.push(value);
      this.#dataChars += value.length + 1;
    } else if (field === 'event') {
      this.#event = value;
    } else if (field === 'id' && !value.includes('\0')) {
      this.#id = value;
    }
  }

  #endBlock(events: ServerEvent[]): void {
    this.#lastId = this.#id;
    if (this.#data.length > 0) {
      events.push({ id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') });
    }
    this.#event = '';
    this.#data = [];
    this.#dataChars = 0;
  }
}
