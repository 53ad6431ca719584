// The updates of a session or a replay as they come, over as many connections as it takes.
//
// CS1 The id of the last event that was read is sent when the stream comes back, and the service continues after it. An
//     event that was cut off has not been read. So each update comes once and in order, and nothing is compared here: a
//     replay that is moved back shows updates again, and rightly.
// CS2 The stream comes back after a broken connection, an answer of 408, 429 or 5xx, and the endings `stopping`,
//     `stream_behind`, `plan_changed` and `unauthorized`, the last with a new token. Anything else is for the program, a
//     feed that the new plan does not include among it. What fails before the stream was open for the first time is, too.
// CS3 The pauses grow with each failure in a row. After too many of them the last one is thrown, and so is one after which
//     the service asks for a longer pause than STREAM_RETRY_AFTER_S_MAX.
// CS4 Nothing is read ahead of the program, apart from what the connection has buffered.

import { RETURNS_MAX, STREAM_RETRY_AFTER_S_MAX, STREAM_SILENCE_MS } from './bounds.ts';
import { EventReader, type ServerEvent } from './event-reader.ts';
import { type Deadline, parsed } from './exchange.ts';
import { backoffMs, pause } from './pause.ts';
import type { FeedId, FeedPayloads, RaceEventType } from './payloads.ts';
import type { OpenStream, Service } from './service.ts';
import { SlipstreamError } from './slipstream-error.ts';

interface UpdateOf<Feed extends FeedId> {
  /** Say it as `afterId` to continue after this update, in another process too. */
  readonly id: string;
  readonly feed: Feed;
  readonly sessionId: string;
  readonly sequence: number;
  readonly payload: FeedPayloads[Feed];
  /** The JSON of the payload, byte for byte that of the webhook. */
  readonly body: string;
}

/** An update: a union by `feed`. */
export type Update = { [Feed in FeedId]: UpdateOf<Feed> }[FeedId];

/** What a stream does between updates. */
export type StreamState =
  | { readonly kind: 'open'; readonly feeds: readonly string[] }
  | { readonly kind: 'interrupted'; readonly error: SlipstreamError; readonly returnsInMs: number };

export interface StreamSelection {
  /** Feed ids and groups such as `timing.*`. Default: all that the plan has. */
  readonly feeds?: readonly (FeedId | '*' | `${string}.*`)[] | undefined;
  /** Three-letter codes. */
  readonly drivers?: readonly string[] | undefined;
  readonly driverNumbers?: readonly string[] | undefined;
  readonly constructors?: readonly string[] | undefined;
  /** Of `events.race`. */
  readonly eventTypes?: readonly RaceEventType[] | undefined;
  readonly positionMin?: number | undefined;
  readonly positionMax?: number | undefined;
  /**
   * Begin after this sequence; 0: with the first update. Not with `session: 'live'`. Default: a live session begins with
   * its next update, a recorded one with its first.
   */
  readonly after?: number | undefined;
  /** Continue after the update with this id. */
  readonly afterId?: string | undefined;
  /** Play a recorded session at this multiple of its own pace, 0.1 to 10. Default: as fast as the program reads. */
  readonly speed?: number | undefined;
  /** Ends the stream: the iterator throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream is open, and whenever it is interrupted and will come back. */
  readonly onState?: ((state: StreamState) => void) | undefined;
}

/** What to stream: a session by its id, `live` for whatever is live, or a replay by its run's id. */
export type StreamRequest = StreamSelection &
  (
    | { readonly session: 'live' | (string & {}); readonly run?: undefined }
    | { readonly run: string; readonly session?: undefined }
  );

/** What the service says of a stream itself, in events of this name. */
const ABOUT_STREAM = 'stream';

interface StreamNotice {
  readonly state: 'open' | 'ended';
  readonly feeds?: readonly string[];
  readonly code?: string;
  readonly message?: string;
}

/** Endings after which the stream comes back (CS2). */
const RETURNS: ReadonlySet<string> = new Set(['stopping', 'stream_behind', 'plan_changed', 'unauthorized']);

export interface StreamBounds {
  /** How long nothing may come before the connection counts as broken. */
  readonly silenceMs: number;
  /** How often in a row the stream may come back. */
  readonly returnsMax: number;
}

const BOUNDS: StreamBounds = { silenceMs: STREAM_SILENCE_MS, returnsMax: RETURNS_MAX };

export class UpdateStream {
  readonly #service: Service;
  readonly #request: StreamRequest;
  readonly #bounds: StreamBounds;
  #lastId: string;
  #wasOpen = false;
  /** Failures in a row (CS3). */
  #failures = 0;

  constructor(service: Service, request: StreamRequest, bounds: StreamBounds = BOUNDS) {
    this.#service = service;
    this.#request = request;
    this.#bounds = bounds;
    this.#lastId = request.afterId ?? '';
  }

  async *updates(): AsyncGenerator<Update, void, undefined> {
    for (;;) {
      try {
        return yield* this.#connection();
      } catch (error) {
        await this.#interrupted(error);
      }
    }
  }

  /** The updates of one connection. Returns when the session or replay is over; otherwise throws. */
  async *#connection(): AsyncGenerator<Update, void, undefined> {
    const { signal } = this.#request;
    const { silenceMs } = this.#bounds;
    const query = queryOf(this.#request);
    const opened = await this.#service.openStream(query, this.#lastId, silenceMs, signal);
    const { response, deadline } = opened;
    const openedAtMs = Date.now();
    try {
      if (response.status === 204) return;
      const reader = response.body!.getReader();
      const events = new EventReader(this.#lastId);
      for (;;) {
        for (const event of await nextEvents(reader, events, deadline)) {
          this.#lastId = event.id;
          if (event.event !== ABOUT_STREAM) {
            this.#failures = 0;
            yield updateOf(event);
          } else if (this.#isCompleted(noticeOf(event), opened)) {
            return;
          }
        }
        this.#lastId = events.lastId;
        if (Date.now() - openedAtMs > silenceMs) this.#failures = 0;
      }
    } finally {
      deadline.end();
    }
  }

  /** Throws if the stream has ended before its time. */
  #isCompleted(notice: StreamNotice, opened: OpenStream): boolean {
    if (notice.state === 'open') {
      this.#wasOpen = true;
      this.#request.onState?.({ kind: 'open', feeds: notice.feeds ?? [] });
      return false;
    }
    const { code = 'no_answer', message = 'the stream has ended' } = notice;
    if (code === 'completed') return true;
    if (code === 'unauthorized') opened.refuseToken();
    throw new SlipstreamError({ status: 200, code, message });
  }

  /** Waits until it is time to come back, or throws the error if the stream cannot (CS2, CS3). */
  async #interrupted(error: unknown): Promise<void> {
    if (!(error instanceof SlipstreamError) || !this.#wasOpen || !canReturn(error)) throw error;
    this.#failures++;
    if (this.#failures > this.#bounds.returnsMax) throw error;
    const { signal, onState } = this.#request;
    const returnsInMs = Math.max((error.retryAfterS ?? 0) * 1000, backoffMs(this.#failures));
    onState?.({ kind: 'interrupted', error, returnsInMs });
    await pause(returnsInMs, signal);
  }
}

/** What the next bytes of the connection bring. What fails here is of the connection; anything else is not. */
async function nextEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  events: EventReader,
  deadline: Deadline,
): Promise<ServerEvent[]> {
  try {
    deadline.restart();
    const { done, value } = await reader.read();
    deadline.hold();
    if (done) throw new SlipstreamError({ status: null, code: 'no_answer', message: 'the stream was cut off' });
    return events.read(value);
  } catch (failure) {
    throw deadline.meaningOf(failure);
  }
}

function canReturn({ status, code, retryAfterS }: SlipstreamError): boolean {
  if (status === 200) return RETURNS.has(code);
  if ((retryAfterS ?? 0) > STREAM_RETRY_AFTER_S_MAX) return false;
  return status === null || status === 408 || status === 429 || status >= 500;
}

function queryOf(request: StreamRequest): Readonly<Record<string, unknown>> {
  const { afterId, signal, onState, ...query } = request;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  );
}

function noticeOf({ data }: ServerEvent): StreamNotice {
  return (parsed(data) ?? { state: 'ended' }) as StreamNotice;
}

function updateOf({ id, event, data }: ServerEvent): Update {
  const payload = parsed(data) as Partial<Update['payload']> | undefined;
  if (typeof payload?.sessionId !== 'string' || typeof payload.sequence !== 'number') {
    const message = `the event ${id} of the stream is no update`;
    throw new SlipstreamError({ status: 200, code: 'invalid_answer', message });
  }
  const { sessionId, sequence } = payload;
  return { id, feed: event, sessionId, sequence, payload, body: data } as Update;
}
