// One connection to a SignalR server: negotiated, subscribed, followed until it ends, and never used again.
//
// Z1: the follower hears a snapshot before any message, and nothing after the end, which it hears once.
// Z2: a connection that does not come about in time, does not tell its state in time, or falls silent, ends.
// Z3: what is kept is bounded: messages wait only for the state on which they build.
// Z4: neither the access token nor a cookie shows in a reason or in the log.
//
// Messages that come before the state are folded into it (signalr-snapshot.ts). While a refresh is under way they are
// passed on as they come, and folded into its answer as well.

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

/** The library's own watch over a silent server is not used, and can't be switched off. */
const NEVER_MS = 2 ** 31 - 1;

/** Shorter ones keep nothing secret, and would make reasons unreadable. */
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
  /** Whether the server said goodbye. */
  readonly isRegular: boolean;
  /** For how long it had told its state; 0 when it never did. */
  readonly followedMs: number;
}

export interface SignalrFollower {
  snapshot(snapshot: SignalrSnapshot, receivedMs: number): void;
  message(message: LiveMessage, receivedMs: number): void;
  ended(ending: SignalrEnding): void;
}

/** A Subscribe without its answer, with the messages that came since. */
interface PendingSubscribe {
  readonly cancelDeadline: () => void;
  readonly kept: LiveMessage[];
  /** Of `.z` topics, which are passed on after the state; empty during a refresh. */
  readonly compressed: { readonly message: LiveMessage; readonly receivedMs: number }[];
  keptChars: number;
  /** Another refresh was asked for meanwhile. */
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
  /** When the first snapshot was told. */
  #followedSinceMs: number | null = null;
  /** When anything came at last, and when a message of a topic did; null before the first one. */
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
      this.#end(`no connection came about within ${connectDeadlineMs} ms`);
    });
    this.#hub.start().then(
      () => this.#connected(),
      (error: unknown) => this.#end(messageOf(error)),
    );
  }

  /** Asks for the whole state again. Before the first one it comes anyway. */
  refresh(): void {
    if (this.#isEnded || this.#followedSinceMs === null) return;
    if (this.#pending !== null) this.#pending.again = true;
    else this.#subscribe();
  }

  /** Says goodbye. Nothing is told any more; resolves once nothing is left of the connection. */
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
      this.#end(`the state did not come within ${subscribeDeadlineMs} ms`);
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

  /** False when the connection had to end because there were too many to keep. */
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
    this.#end(`${messages} messages came before the state on which they build`);
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
   * A connection on which nothing comes at all is dead. So is one that has told something and then only pings, because
   * live timing sends its heartbeat; but before a session there may be nothing to tell for days.
   */
  #watch(delayMs: number): void {
    this.#cancelWatch = this.#parts.clock.schedule(delayMs, () => {
      const { silenceMs } = this.#parts.limits;
      const sinceMs = Math.min(this.#lastReceivedMs, this.#lastMessageMs ?? this.#lastReceivedMs);
      const leftMs = sinceMs + silenceMs - this.#parts.clock.nowMs();
      if (leftMs > 0) this.#watch(leftMs);
      else this.#end(`no message came for ${silenceMs} ms`);
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

  /** Servers and proxies say what they like, also what they were asked with. */
  #shown(text: string): string {
    // Long enough that no secret is cut in two where the text ends.
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

/** The library swallows what its callbacks throw, which would hide a defect of the follower. */
function rethrowLater(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
