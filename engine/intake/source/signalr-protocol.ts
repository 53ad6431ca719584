// SignalR's JSON protocol for live timing: each text holds records that end in 0x1E.
//
// The library's own protocol returns parsed values. This one keeps the upstream's text of each message, because
// recordings hold that text. It skips unusable messages instead of ending the connection. To keep the order of
// messages, it passes both `feed` and the result of Subscribe to the library as invocations. The library runs
// invocations at once and in order, but it delivers the result of a call after all messages of the same text.

import type { HubMessage, IHubProtocol } from '@microsoft/signalr';
import { MessageType, TransferFormat } from '@microsoft/signalr';
import type { Clock } from '#engine/base/clock.ts';
import type { JsonObject } from '#engine/base/json-value.ts';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { LiveMessage } from './live-source.ts';
import type { UnusableMessages } from './unusable-messages.ts';

const RECORD_END = '\x1e';

/** The beginning and the end of a message as the upstream writes it. Its data lies between them. */
const FEED_BEGINS = /^\{"type":1,"target":"feed","arguments":\["([\w.]{1,64})",/;
const FEED_ENDS = /,"([\w.:+-]{0,40})"\]\}$/;
const FEED_END_CHARS = 48;

/** The method that a message invokes, with a LiveMessage and `receivedMs`. */
export const FEED = 'feed';
/** The method that the result of Subscribe invokes, with a JsonObject and `receivedMs`. */
export const STATE = 'state';

/** The messages for the library, or why the record is skipped. */
type Parsed = readonly HubMessage[] | string;

export interface SignalrProtocolParts {
  readonly topics: ReadonlySet<string>;
  readonly clock: Clock;
  readonly unusableMessages: UnusableMessages;
  /** Called for each text, pings included. */
  readonly received: (receivedMs: number) => void;
}

export class SignalrProtocol implements IHubProtocol {
  readonly name = 'json';
  readonly version = 1;
  readonly transferFormat = TransferFormat.Text;
  readonly #parts: SignalrProtocolParts;
  /** The id of the Subscribe call without a result yet. */
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

  /** Throws when the text is cut off, because an unknown number of messages is then missing. */
  parseMessages(text: string | ArrayBuffer): HubMessage[] {
    const { clock, unusableMessages, received } = this.#parts;
    const receivedMs = clock.nowMs();
    received(receivedMs);
    if (typeof text !== 'string') throw new Error('the server sent binary data instead of text');
    if (!text.endsWith(RECORD_END)) throw new Error('the server sent a message that was cut off');
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
   * The fast path: cuts the data's text out of a message in the upstream's usual form. Any other form takes the slow
   * path. If the text between the two ends is valid JSON, it is the data, because JSON has only one reading.
   */
  #parseFeed(record: string, receivedMs: number): Parsed | null {
    const begins = FEED_BEGINS.exec(record);
    if (begins === null) return null;
    const tail = record.slice(Math.max(begins[0].length, record.length - FEED_END_CHARS));
    const ends = FEED_ENDS.exec(tail);
    if (ends === null) return null;
    const json = record.slice(begins[0].length, record.length - ends[0].length);
    // Frames hold their JSON on one line: the slow path rewrites it.
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
    if (parsed.type !== MessageType.Close) return 'live timing does not use its type';
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
    if (!this.#parts.topics.has(topic)) return 'its topic was not subscribed';
    const reason = unusable(topic, data, json);
    if (reason !== null) return reason;
    const message: LiveMessage = { topic, json: json!, utcMs: upstreamUtcMs(utc) };
    return [{ type: MessageType.Invocation, target: FEED, arguments: [message, receivedMs] }];
  }

  #completion({ invocationId, result, error }: JsonObject, receivedMs: number): Parsed {
    const id = this.#subscribeId;
    if (id === undefined || invocationId !== id) return 'it answers no pending call';
    this.#subscribeId = undefined;
    if (!isObject(result)) {
      const reason = typeof error === 'string' && error !== '' ? error : 'the result holds no snapshot';
      return [{ type: MessageType.Completion, invocationId: id, error: reason }];
    }
    return [
      { type: MessageType.Invocation, target: STATE, arguments: [result, receivedMs] },
      { type: MessageType.Completion, invocationId: id },
    ];
  }
}

/**
 * Why the data of a topic is unusable, or null. The data of `.z` topics is compressed text, of all others an object.
 */
export function unusable(topic: string, data: unknown, json: string | null): string | null {
  if (json === null) return 'it nests too deep';
  if (topic.endsWith('.z') ? typeof data !== 'string' : !isObject(data)) {
    return topic.endsWith('.z') ? 'its data is not a text' : 'its data is not an object';
  }
  // A character takes at most three bytes, so only long texts need a count.
  if (json.length > FRAME_BYTES_MAX / 3 && Buffer.byteLength(json) > FRAME_BYTES_MAX) {
    return `its data has more than ${FRAME_BYTES_MAX} bytes`;
  }
  return null;
}

/** JSON text, or null for a value that nests too deep. */
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
