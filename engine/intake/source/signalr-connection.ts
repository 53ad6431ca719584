// One connection to a SignalR server: it negotiates, subscribes and delivers messages until it ends. It is used once.
//
// Z1 The follower gets a snapshot before any message, and nothing after the end, which is reported once.
// Z2 A connection ends when it is not established in time, its snapshot does not arrive in time, or it falls silent.
// Z3 Buffers are bounded: messages wait only for the snapshot on which they build.
// Z4 Neither the access token nor a cookie appears in a reason or in the log.
//
// Messages that arrive before the first snapshot are merged into it (signalr-snapshot.ts). During a refresh, messages
// are passed on at once, and merged into the new snapshot as well.

import { type HubConnection, HubConnectionBuilder, NullLogger } from '@microsoft/signalr';
import type { TimerClock } from '#engine/base/clock.ts';
import type { JsonObject } from '#engine/base/json-value.ts';
import { LIVE_KEPT_CHARS_MAX, LIVE_SECRET_CHARS_MAX, LIVE_SHOWN_CHARS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { LiveMessage } from './live-source.ts';
import { SignalrNegotiation } from './signalr-negotiation.ts';
import { FEED, SignalrProtocol, STATE } from './signalr-protocol.ts';
import { type SignalrSnapshot, snapshotOf } from './signalr-snapshot.ts';
import { SignalrSocket } from './signalr-socket.ts';
import { UnusableMessages } from './unusable-messages.ts';

/** Effectively disables the library's own timeout for a silent server, which cannot be switched off. */
const NEVER_MS = 2 ** 31 - 1;

/** Shorter values are not secret, and hiding them would make reasons unreadable. */
const SECRET_CHARS_MIN = 8;

export interface SignalrConnectionParts {
  readonly url: string;
  readonly accessToken: string | null;
  readonly topics: ReadonlySet<string>;
  readonly clock: TimerClock;
  readonly log: Log;
  readonly limits: SignalrConnectionLimits;
}

export interface SignalrConnectionLimits {
  readonly silenceMs: number;
  readonly connectDeadlineMs: number;
  readonly subscribeDeadlineMs: number;
  readonly closeMs: number;
  readonly keptMessagesMax: number;
}

export interface SignalrEnding {
  readonly reason: string;
  /** Whether the server closed the connection regularly. */
  readonly isRegular: boolean;
  /** Time since the first snapshot; 0 without one. */
  readonly followedMs: number;
}

export interface SignalrFollower {
  snapshot(snapshot: SignalrSnapshot, receivedMs: number): void;
  message(message: LiveMessage, receivedMs: number): void;
  ended(ending: SignalrEnding): void;
}

/** A call of Subscribe without a result yet, with the messages that arrived since. */
interface PendingSubscribe {
  readonly cancelDeadline: () => void;
  readonly kept: LiveMessage[];
  /** Messages of `.z` topics, which follow the snapshot. Empty during a refresh. */
  readonly compressed: { readonly message: LiveMessage; readonly receivedMs: number }[];
  keptChars: number;
  /** Another refresh was requested meanwhile. */
  again: boolean;
}

export class SignalrConnection {
  readonly #parts: SignalrConnectionParts;
  readonly #follower: SignalrFollower;
  readonly #unusable: UnusableMessages;
  readonly #negotiation = new SignalrNegotiation();
  readonly #socket: SignalrSocket;
  readonly #hub: HubConnection;
  #cancelDeadline: () => void;
  #cancelWatch: () => void = () => {};
  #pending: PendingSubscribe | null = null;
  /** When the first snapshot arrived. */
  #followedSinceMs: number | null = null;
  /** When anything arrived last, and when a message of a topic did; the latter is null before the first one. */
  #lastReceivedMs: number;
  #lastMessageMs: number | null = null;
  #isEnded = false;

  constructor(parts: SignalrConnectionParts, follower: SignalrFollower) {
    this.#parts = parts;
    this.#follower = follower;
    this.#unusable = new UnusableMessages(parts.log, (text) => this.#shown(text));
    this.#socket = new SignalrSocket(this.#negotiation, parts.clock);
    this.#lastReceivedMs = parts.clock.nowMs();
    this.#hub = this.#build();
    const { connectDeadlineMs } = parts.limits;
    this.#cancelDeadline = parts.clock.schedule(connectDeadlineMs, () => {
      this.#end(`no connection within ${connectDeadlineMs} ms`);
    });
    this.#hub.start().then(
      () => this.#connected(),
      (error: unknown) => this.#end(messageOf(error)),
    );
  }

  /** Requests a new snapshot. Does nothing before the first one, which is on its way. */
  refresh(): void {
    if (this.#isEnded || this.#followedSinceMs === null) return;
    if (this.#pending !== null) this.#pending.again = true;
    else this.#subscribe();
  }

  /** Closes the connection. The follower is not called any more. Resolves once the socket is gone. */
  async close(): Promise<void> {
    this.#leave();
    const isConnected = this.#followedSinceMs !== null;
    void this.#hub.stop().catch(() => {});
    if (!isConnected) this.#abort();
    const cancel = this.#parts.clock.schedule(this.#parts.limits.closeMs, () => this.#abort());
    await this.#socket.gone;
    cancel();
  }

  #build(): HubConnection {
    const { url, accessToken, topics, clock } = this.#parts;
    const hub = new HubConnectionBuilder()
      .withUrl(url, {
        transport: this.#socket,
        httpClient: this.#negotiation,
        ...(accessToken !== null && { accessTokenFactory: () => accessToken }),
      })
      .withHubProtocol(
        new SignalrProtocol({
          topics,
          clock,
          unusableMessages: this.#unusable,
          received: (receivedMs) => {
            this.#lastReceivedMs = receivedMs;
          },
        }),
      )
      .withServerTimeout(NEVER_MS)
      .configureLogging(NullLogger.instance)
      .build();
    hub.on(FEED, (message: LiveMessage, receivedMs: number) => rethrowLater(() => this.#take(message, receivedMs)));
    hub.on(STATE, (answer: JsonObject, receivedMs: number) => rethrowLater(() => this.#takeState(answer, receivedMs)));
    hub.onclose((error) =>
      rethrowLater(() => {
        if (error === undefined) this.#end('the server ended the connection', true);
        else this.#end(messageOf(error));
      }),
    );
    return hub;
  }

  #connected(): void {
    if (this.#isEnded) return;
    this.#cancelDeadline();
    this.#subscribe();
  }

  #subscribe(): void {
    const { subscribeDeadlineMs } = this.#parts.limits;
    const cancelDeadline = this.#parts.clock.schedule(subscribeDeadlineMs, () => {
      this.#end(`no snapshot within ${subscribeDeadlineMs} ms`);
    });
    this.#pending = { cancelDeadline, kept: [], compressed: [], keptChars: 0, again: false };
    this.#hub.invoke('Subscribe', [...this.#parts.topics]).catch((error: unknown) => {
      this.#end(`the subscription failed: ${messageOf(error)}`);
    });
  }

  #take(message: LiveMessage, receivedMs: number): void {
    if (this.#isEnded) return;
    this.#lastMessageMs = receivedMs;
    const pending = this.#pending;
    if (pending !== null && !this.#keep(pending, message, receivedMs)) return;
    if (this.#followedSinceMs !== null) this.#follower.message(message, receivedMs);
  }

  /** Keeps a message for the pending snapshot. Returns false when the buffer was full and the connection ended. */
  #keep(pending: PendingSubscribe, message: LiveMessage, receivedMs: number): boolean {
    if (message.topic.endsWith('.z')) {
      if (this.#followedSinceMs !== null) return true;
      pending.compressed.push({ message, receivedMs });
    } else {
      pending.kept.push(message);
    }
    pending.keptChars += message.json.length;
    const messages = pending.kept.length + pending.compressed.length;
    if (messages <= this.#parts.limits.keptMessagesMax && pending.keptChars <= LIVE_KEPT_CHARS_MAX) return true;
    this.#end(`${messages} messages arrived before the snapshot on which they build`);
    return false;
  }

  #takeState(answer: JsonObject, receivedMs: number): void {
    const pending = this.#pending;
    if (this.#isEnded || pending === null) return;
    pending.cancelDeadline();
    this.#pending = null;
    if (this.#followedSinceMs === null) {
      this.#followedSinceMs = receivedMs;
      this.#watch(this.#parts.limits.silenceMs);
    }
    const snapshot = snapshotOf(this.#parts.topics, answer, pending.kept, this.#unusable);
    this.#follower.snapshot(snapshot, receivedMs);
    for (const { message, receivedMs } of pending.compressed) {
      if (!this.#isEnded) this.#follower.message(message, receivedMs);
    }
    if (pending.again) this.refresh();
  }

  /**
   * A silent connection is dead. So is one that only pings after its first message, because live timing sends
   * heartbeats. Before the first message pings are enough: without a session there may be no message for days.
   */
  #watch(delayMs: number): void {
    this.#cancelWatch = this.#parts.clock.schedule(delayMs, () => {
      const { silenceMs } = this.#parts.limits;
      const sinceMs = Math.min(this.#lastReceivedMs, this.#lastMessageMs ?? this.#lastReceivedMs);
      const leftMs = sinceMs + silenceMs - this.#parts.clock.nowMs();
      if (leftMs > 0) this.#watch(leftMs);
      else this.#end(`no message for ${silenceMs} ms`);
    });
  }

  #end(reason: string, isRegular = false): void {
    if (this.#isEnded) return;
    this.#leave();
    void this.#hub.stop().catch(() => {});
    this.#abort();
    const followedMs = this.#followedSinceMs === null ? 0 : this.#parts.clock.nowMs() - this.#followedSinceMs;
    this.#follower.ended({ reason: this.#shown(reason), isRegular, followedMs });
  }

  #leave(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelDeadline();
    this.#cancelWatch();
    this.#pending?.cancelDeadline();
    this.#pending = null;
    this.#unusable.logTotal();
  }

  #abort(): void {
    this.#negotiation.abort();
    this.#socket.terminate();
  }

  /** Shortens a text of the server and hides secrets: servers and proxies may echo the request's own headers. */
  #shown(text: string): string {
    // Cut long before the final length, so that no secret is cut in two at the end.
    let shown = text.slice(0, 2 * LIVE_SHOWN_CHARS_MAX + LIVE_SECRET_CHARS_MAX);
    for (const secret of [this.#parts.accessToken, ...this.#negotiation.secrets]) {
      if (secret !== null && secret.length >= SECRET_CHARS_MIN) shown = shown.replaceAll(secret, '***');
    }
    return shown.length > LIVE_SHOWN_CHARS_MAX ? `${shown.slice(0, LIVE_SHOWN_CHARS_MAX)}…` : shown;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Rethrows errors of a callback outside the library, which would swallow them and hide a defect of the follower. */
function rethrowLater(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
