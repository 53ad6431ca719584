// SignalR's JSON protocol for live timing: texts of records, each ended by 0x1E.
//
// The library's own protocol hands out parsed values. This one keeps the upstream's text of each message, because that is
// what recordings hold, and leaves out what can't be used instead of ending the connection. Two things it does for the
// order of messages: `feed` and the answer to Subscribe both reach the library as invocations, which it hands on at once
// and in order, while the answer to a call would come after every message of the same text.

import type { HubMessage, IHubProtocol } from '@microsoft/signalr';
import { MessageType, TransferFormat } from '@microsoft/signalr';
import type { Clock } from '#engine/base/clock.ts';
import type { JsonObject } from '#engine/base/json-value.ts';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { LiveMessage } from './live-source.ts';
import type { UnusableMessages } from './unusable-messages.ts';

const RECORD_END = '\x1e';

/** The beginning and the end of a message as the upstream writes it; what lies between is its data. */
const FEED_BEGINS = /^\{"type":1,"target":"feed","arguments":\["([\w.]{1,64})",/;
const FEED_ENDS = /,"([\w.:+-]{0,40})"\]\}$/;
const FEED_END_CHARS = 48;

/** What the library is told to call: with a LiveMessage and `receivedMs`. */
export const FEED = 'feed';
/** With the result of Subscribe as a JsonObject and `receivedMs`. */
export const STATE = 'state';

/** What a record becomes for the library, or why it is left out. */
type Parsed = readonly HubMessage[] | string;

export interface SignalrProtocolParts {
  readonly topics: ReadonlySet<string>;
  readonly clock: Clock;
  readonly unusableMessages: UnusableMessages;
  /** Told of each text, also of a ping. */
  readonly received: (receivedMs: number) => void;
}

export class SignalrProtocol implements IHubProtocol {
  readonly name = 'json';
  readonly version = 1;
  readonly transferFormat = TransferFormat.Text;
  readonly #parts: SignalrProtocolParts;
  /** The call of Subscribe that has no answer yet. */
  #subscribeId: string | undefined;

  constructor(parts: SignalrProtocolParts) {
    this.#parts = parts;
  }

  writeMessage(message: HubMessage): string {
    if (message.type === MessageType.Invocation && message.target === 'Subscribe') {
      this.#subscribeId = message.invocationId;
    }
    return JSON.stringify(message) + RECORD_END;
  }

  /** Throws when the text is cut off: what else is missing then, nobody knows. */
  parseMessages(text: string | ArrayBuffer): HubMessage[] {
    const { clock, unusableMessages, received } = this.#parts;
    const receivedMs = clock.nowMs();
    received(receivedMs);
    if (typeof text !== 'string') throw new Error('the server sent something else than text');
    if (!text.endsWith(RECORD_END)) throw new Error('the server sent a message that is cut off');
    const messages: HubMessage[] = [];
    for (let from = 0; from < text.length; ) {
      const to = text.indexOf(RECORD_END, from);
      const record = text.slice(from, to);
      const parsed = this.#parseFeed(record, receivedMs) ?? this.#parseRecord(record, receivedMs);
      if (typeof parsed === 'string') unusableMessages.add(parsed, record);
      else messages.push(...parsed);
      from = to + 1;
    }
    return messages;
  }

  /**
   * The short way: takes the data's text out of a message as the upstream always writes it. Whatever looks different is
   * for the long way. Text that is JSON by itself, between these two ends, is the data: JSON can be read in one way only.
   */
  #parseFeed(record: string, receivedMs: number): Parsed | null {
    const begins = FEED_BEGINS.exec(record);
    if (begins === null) return null;
    const tail = record.slice(Math.max(begins[0].length, record.length - FEED_END_CHARS));
    const ends = FEED_ENDS.exec(tail);
    if (ends === null) return null;
    const json = record.slice(begins[0].length, record.length - ends[0].length);
    // A recording is a file of lines.
    if (/[\r\n]/.test(json)) return null;
    const data = parsedJson(json);
    return data === undefined ? null : this.#messageOf(begins[1]!, data, json, ends[1], receivedMs);
  }

  #parseRecord(record: string, receivedMs: number): Parsed {
    const parsed = parsedJson(record);
    if (!isObject(parsed)) return 'it is not a JSON object';
    if (parsed.type === MessageType.Invocation) return this.#invocation(parsed, receivedMs);
    if (parsed.type === MessageType.Completion) return this.#completion(parsed, receivedMs);
    if (parsed.type === MessageType.Ping) return [{ type: MessageType.Ping }];
    if (parsed.type !== MessageType.Close) return 'its type is none that live timing uses';
    return [{ type: MessageType.Close, ...(typeof parsed.error === 'string' && { error: parsed.error }) }];
  }

  #invocation(parsed: JsonObject, receivedMs: number): Parsed {
    const values = parsed.arguments;
    if (parsed.target !== FEED || !Array.isArray(values) || typeof values[0] !== 'string' || values.length < 2) {
      return 'it is not a message of a topic';
    }
    return this.#messageOf(values[0], values[1], stringified(values[1]), values[2], receivedMs);
  }

  #messageOf(topic: string, data: unknown, json: string | null, utc: unknown, receivedMs: number): Parsed {
    if (!this.#parts.topics.has(topic)) return 'nobody asked for its topic';
    const reason = unusable(topic, data, json);
    if (reason !== null) return reason;
    const message: LiveMessage = { topic, json: json!, utcMs: upstreamUtcMs(utc) };
    return [{ type: MessageType.Invocation, target: FEED, arguments: [message, receivedMs] }];
  }

  #completion({ invocationId, result, error }: JsonObject, receivedMs: number): Parsed {
    const id = this.#subscribeId;
    if (id === undefined || invocationId !== id) return 'it answers nothing that was asked';
    this.#subscribeId = undefined;
    if (!isObject(result)) {
      const reason = typeof error === 'string' && error !== '' ? error : 'the answer holds no state';
      return [{ type: MessageType.Completion, invocationId: id, error: reason }];
    }
    return [
      { type: MessageType.Invocation, target: STATE, arguments: [result, receivedMs] },
      { type: MessageType.Completion, invocationId: id },
    ];
  }
}

/** Why the data of a topic can't be used, or null. `.z` topics are texts of compressed data, all others are objects. */
export function unusable(topic: string, data: unknown, json: string | null): string | null {
  if (json === null) return 'it nests too deep';
  if (topic.endsWith('.z') ? typeof data !== 'string' : !isObject(data)) {
    return topic.endsWith('.z') ? 'its data is not a text' : 'its data is not an object';
  }
  // Three bytes a character at most, so that only long ones need to be counted.
  if (json.length > FRAME_BYTES_MAX / 3 && Buffer.byteLength(json) > FRAME_BYTES_MAX) {
    return `its data has more than ${FRAME_BYTES_MAX} bytes`;
  }
  return null;
}

/** JSON text, or null for a value that nests too deep to be written. */
export function stringified(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
