// A stream of updates as server-sent events: the feed is the event's name, the webhook's body its data, and the place of
// the stream its id.

import type { EventChannel } from '#api/http/event-channel.ts';
import { STREAM_ENDS, type StreamEndCode } from '#api/http/stream-end.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { SSE_RETRY_MS, SSE_REVOKED_UNREAD_MS, SSE_STALL_MS } from '#engine/base/limits.ts';
import type { EncodeUpdate, StreamTimeline } from '#engine/delivery/stream/stream-timeline.ts';
import type { SessionPlace, StreamSink } from '#engine/delivery/stream/update-stream.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import { END_OF_STREAM, formatPlace, formatPlaces } from './stream-place.ts';
import { UpdateBatch } from './update-batch.ts';

const PING = Buffer.from(': ping\n\n');
const END_OF_EVENT = Buffer.from('\n\n');

/** An update as an event of a stream of its session alone. */
export const encodeEvent: EncodeUpdate = (timeline, position) =>
  event(timeline, position, formatPlace({ sessionId: timeline.info.sessionId, sequence: sequenceOf(position) }));

function event(timeline: Timeline, position: number, place: string): Uint8Array {
  const head = Buffer.from(`id: ${place}\nevent: ${timeline.feedId(position)}\ndata: `);
  return Buffer.concat([head, timeline.body(position), END_OF_EVENT]);
}

export class EventStreamSink implements StreamSink {
  readonly #channel: EventChannel;
  readonly #clock: TimerClock;
  readonly #batch = new UpdateBatch();
  #stopPatience: () => void = () => {};
  /** Its client has not read what was sent, and is to read it before anything else is sent (`blocked`) or before the end. */
  #unread: 'blocked' | 'ending' | null = null;

  constructor(channel: EventChannel, clock: TimerClock) {
    this.#channel = channel;
    this.#clock = clock;
  }

  /** Tells what the stream carries. Call first. `isNew`: its client has no place yet. */
  begin(
    carries: { readonly session?: string; readonly run?: string; readonly feeds: readonly string[] },
    isNew: boolean,
  ): void {
    const id = isNew ? `id: ${formatPlaces([])}\n` : '';
    const data = JSON.stringify({ state: 'open', ...carries });
    this.#write(Buffer.from(`retry: ${SSE_RETRY_MS}\n${id}event: stream\ndata: ${data}\n\n`));
  }

  add(timeline: StreamTimeline, position: number, places: readonly SessionPlace[] | null): number {
    const bytes =
      places === null ? timeline.encoded(position) : event(timeline.timeline, position, formatPlaces(places));
    this.#batch.add(bytes);
    return bytes.length;
  }

  send(updates: Uint8Array): boolean {
    return this.#write(updates);
  }

  flush(): boolean {
    return this.#write(this.#batch.take());
  }

  place(places: readonly SessionPlace[]): boolean {
    return this.#write(Buffer.from(`: from here\nid: ${formatPlaces(places)}\n\n`));
  }

  ping(): boolean {
    return this.#write(PING);
  }

  /** The client reads again. */
  drained(): void {
    this.#stopPatience();
    if (this.#unread === 'ending') this.#channel.end();
    this.#unread = null;
  }

  /**
   * Ends the stream and says why. A client that has everything gets an id; if it comes back with it, it is told that nothing is left. A
   * client whose place is gone loses its id; an EventSource would send it again for ever. An end that is not read is given up by the
   * HTTP library after SSE_STALL_MS. Of a stream whose token was revoked nothing is left open for that long (SM2).
   */
  end(code: StreamEndCode): void {
    this.#stopPatience();
    const id = code === 'completed' ? `id: ${END_OF_STREAM}\n` : code === 'updates_gone' ? 'id:\n' : '';
    const data = JSON.stringify({ state: 'ended', code, message: STREAM_ENDS[code] });
    const isTaken = this.#channel.write(Buffer.from(`${id}event: stream\ndata: ${data}\n\n`));
    if (code !== 'unauthorized' || (isTaken && this.#unread === null)) {
      this.#channel.end();
    } else {
      this.#unread = 'ending';
      this.#stopPatience = this.#clock.schedule(SSE_REVOKED_UNREAD_MS, () => this.#channel.close());
    }
  }

  /** The client has left. */
  left(): void {
    this.#stopPatience();
  }

  /** A client that reads nothing for too long is cut off: it may come back, and misses nothing. */
  #write(bytes: Uint8Array): boolean {
    if (this.#channel.write(bytes)) return true;
    this.#unread = 'blocked';
    this.#stopPatience();
    this.#stopPatience = this.#clock.schedule(SSE_STALL_MS, () => this.#channel.close());
    return false;
  }
}
