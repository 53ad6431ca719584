// Sockets of one shard thread to the receivers, for the real connections of the engine. Bytes take a while in both
// directions and stay in order. A receiver answers one request after the other and closes as it likes: after every
// response, when idle, with or without announcing it, before it has read a request, after that, or within a response.

import { EventEmitter } from 'node:events';
import { IDLE_UNCHECKED_MS } from '#engine/base/limits.ts';
import type { ConnectionSocket, ReadInto, Sockets, SocketTarget } from '#engine/delivery/transport/sockets.ts';
import type { SimulatedTime } from '#test/support/simulated-time.ts';
import { chanceOf } from './chance.ts';
import type { Observed } from './observed.ts';
import type { Reaction } from './receivers.ts';

/** How a receiver ends its connections. */
export type Manner =
  | 'keeps'
  /** After each response, a moment later. */
  | 'closes'
  /** The same, but says so in the response. */
  | 'announces'
  /** Some time after a response, without saying how long. */
  | 'tires'
  /** At any point of a request. */
  | 'breaks';

export interface SocketParts {
  readonly seed: number;
  readonly time: SimulatedTime;
  readonly observed: Observed;
  readonly faultsEndMs: number;
  /** Runs the events of sockets on the thread, unless it has died. */
  readonly onThread: (work: () => void) => void;
  /** A receiver has read this request. Returns what it will do. */
  readonly received: (request: string) => Exclude<Reaction, { kind: 'throw' }>;
}

type Moment = 'before reading' | 'after reading' | 'within the response' | null;

const MANNERS: readonly Manner[] = ['keeps', 'keeps', 'closes', 'announces', 'tires', 'breaks'];
const MOMENTS: readonly Moment[] = ['before reading', 'after reading', 'within the response'];
/** One way between the thread and a receiver. */
const ONE_WAY_MS: readonly number[] = [0.1, 0.5, 2, 30];
/** From a response to the close. */
const CLOSES_AFTER_MS: readonly number[] = [0, 0.3, 4];
const TIRES_AFTER_MS_MAX = 3_000;
/** How long the thread is busy with other work before it sees what has arrived. */
const BUSY_MS: readonly number[] = [0, 0, 0, 3, 12];

export function mannerOf(seed: number, origin: string): Manner {
  return MANNERS[Math.floor(chanceOf(seed, 'manner', origin) * MANNERS.length)]!;
}

export class SimulatedSockets implements Sockets {
  /** Sockets that are open or being opened. */
  count = 0;
  readonly #parts: SocketParts;
  readonly #busyMs: number;
  /** What has arrived, unseen by the thread, or will, by time. */
  readonly #arrivals: { readonly atMs: number; readonly event: () => void }[] = [];
  #no = 0;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#busyMs = BUSY_MS[Math.floor(chanceOf(parts.seed, 'busy') * BUSY_MS.length)]!;
  }

  open({ url }: SocketTarget, onread: ReadInto): ConnectionSocket {
    this.count++;
    return new SimulatedSocket(this.#parts, this, url, this.#no++, onread);
  }

  failed(): void {}

  /** Something arrives after `delayMs`. */
  arrives(delayMs: number, event: () => void): void {
    const { time } = this.#parts;
    const atMs = time.nowMs() + delayMs;
    const place = this.#arrivals.findLastIndex((before) => before.atMs <= atMs) + 1;
    this.#arrivals.splice(place, 0, { atMs, event });
    time.schedule(delayMs + this.#busyMs, () => this.poll());
  }

  /** The thread sees what has arrived by now. */
  poll(): void {
    const nowMs = this.#parts.time.nowMs();
    const later = this.#arrivals.findIndex(({ atMs }) => atMs > nowMs);
    const seen = this.#arrivals.splice(0, later === -1 ? this.#arrivals.length : later);
    for (const { event } of seen) this.#parts.onThread(event);
  }
}

class SimulatedSocket extends EventEmitter implements ConnectionSocket {
  readonly writableLength = 0;
  readonly #parts: SocketParts;
  readonly #sockets: SimulatedSockets;
  readonly #url: URL;
  readonly #onread: ReadInto;
  readonly #oneWayMs: number;
  readonly #manner: Manner;
  readonly #no: number;
  #state: 'connecting' | 'open' | 'closed' = 'connecting';
  #requests = 0;
  /** When the last bytes in each direction arrive. */
  #arrivesThereMs = 0;
  #arrivesHereMs = 0;
  /** When the receiver's end of the connection arrives here; null while it has not closed. */
  #endArrivesMs: number | null = null;
  #activeMs = 0;
  #idleMs = 0;
  #cancelIdle: () => void = () => {};

  constructor(parts: SocketParts, sockets: SimulatedSockets, url: URL, no: number, onread: ReadInto) {
    super();
    this.#parts = parts;
    this.#sockets = sockets;
    this.#url = url;
    this.#no = no;
    this.#onread = onread;
    const { seed, time } = parts;
    this.#oneWayMs = ONE_WAY_MS[Math.floor(chanceOf(seed, 'distance', url.origin) * ONE_WAY_MS.length)]!;
    this.#manner = mannerOf(seed, url.origin);
    this.#arrivesThereMs = time.nowMs() + 3 * this.#oneWayMs;
    this.#here(4 * this.#oneWayMs, () => {
      this.#state = 'open';
      this.emit(url.protocol === 'https:' ? 'secureConnect' : 'connect');
    });
  }

  setTimeout(idleMs: number): void {
    this.#idleMs = idleMs;
    this.#active();
  }

  write(bytes: Uint8Array, written?: () => void): boolean {
    const { time, observed } = this.#parts;
    const nowMs = time.nowMs();
    const isUnsure = this.#requests === 1 || (this.#requests > 1 && nowMs - this.#activeMs >= IDLE_UNCHECKED_MS);
    if (isUnsure && this.#endArrivesMs !== null && this.#endArrivesMs < nowMs)
      observed.violated(`HC4: a request is written although the end had arrived at ${this.#endArrivesMs} ms`);
    this.#active();
    this.#requests++;
    const request = new TextDecoder().decode(bytes);
    this.#arrivesThereMs = Math.max(this.#arrivesThereMs, nowMs + this.#oneWayMs);
    time.schedule(this.#arrivesThereMs - nowMs, () => this.#arrived(request));
    if (written !== undefined) this.#here(0, written);
    return true;
  }

  destroy(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelIdle();
    this.#sockets.count--;
  }

  ref(): void {}

  unref(): void {}

  #active(): void {
    const { time, onThread } = this.#parts;
    this.#activeMs = time.nowMs();
    this.#cancelIdle();
    this.#cancelIdle = time.schedule(this.#idleMs, () => onThread(() => this.emit('timeout')));
  }

  /** The request is at the receiver. */
  #arrived(request: string): void {
    const { received } = this.#parts;
    const moment = this.#breaksAt();
    if (this.#endArrivesMs !== null || moment === 'before reading') {
      this.#resets('ECONNRESET');
      return;
    }
    const reaction = received(request);
    if (reaction.kind === 'hang') return;
    this.#parts.time.schedule(reaction.afterMs, () => {
      if (this.#endArrivesMs !== null) return;
      if (reaction.kind === 'break') this.#resets(reaction.error);
      else if (moment === 'after reading') this.#closes();
      else this.#answers(reaction.status, moment);
    });
  }

  #answers(status: number, moment: Moment): void {
    const body = status === 204 ? '' : `status ${status}`;
    const announced = this.#manner === 'announces' ? 'connection: close\r\n' : '';
    const length = status === 204 ? '' : `content-length: ${body.length}\r\n`;
    const response = Buffer.from(`HTTP/1.1 ${status} Status\r\n${length}${announced}\r\n${body}`);
    const sent = moment === null ? response : response.subarray(0, response.length >> 1);
    this.#here(this.#oneWayMs, () => {
      this.#active();
      sent.copy(this.#onread.buffer);
      this.#onread.callback(sent.length, this.#onread.buffer);
    });
    if (moment !== null) this.#closes();
    else if (this.#isFaulty) this.#closesLater();
  }

  #closesLater(): void {
    const { time, seed } = this.#parts;
    const roll = chanceOf(seed, 'closes', this.#url.origin, this.#no, this.#requests);
    if (this.#manner === 'closes' || this.#manner === 'announces')
      time.schedule(CLOSES_AFTER_MS[Math.floor(roll * CLOSES_AFTER_MS.length)]!, () => this.#closes());
    if (this.#manner !== 'tires') return;
    const requests = this.#requests;
    time.schedule(roll * TIRES_AFTER_MS_MAX, () => {
      // It does not see requests that are on their way.
      if (this.#requests === requests || time.nowMs() < this.#arrivesThereMs) this.#closes();
    });
  }

  #closes(): void {
    if (this.#endArrivesMs !== null) return;
    this.#endArrivesMs = this.#here(this.#oneWayMs, () => {
      this.emit('end');
      this.emit('close');
    });
  }

  #resets(code: string): void {
    this.#endArrivesMs ??= this.#parts.time.nowMs() + this.#oneWayMs;
    this.#here(this.#oneWayMs, () => {
      this.emit('error', Object.assign(new Error(code), { code }));
      this.emit('close');
    });
  }

  /** Lets something happen at the thread after `delayMs` and everything before it. Returns when. */
  #here(delayMs: number, work: () => void): number {
    const nowMs = this.#parts.time.nowMs();
    this.#arrivesHereMs = Math.max(this.#arrivesHereMs, nowMs + delayMs);
    this.#sockets.arrives(this.#arrivesHereMs - nowMs, () => {
      if (this.#state !== 'closed') work();
    });
    return this.#arrivesHereMs;
  }

  get #isFaulty(): boolean {
    return this.#parts.time.nowMs() < this.#parts.faultsEndMs;
  }

  #breaksAt(): Moment {
    if (this.#manner !== 'breaks' || !this.#isFaulty) return null;
    const { seed } = this.#parts;
    const at = (what: string): number => chanceOf(seed, what, this.#url.origin, this.#no, this.#requests);
    return at('break') < 0.3 ? MOMENTS[Math.floor(at('moment') * MOMENTS.length)]! : null;
  }
}
