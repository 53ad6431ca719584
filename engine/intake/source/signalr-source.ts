// Live timing over SignalR Core: one connection after the other while the service runs.
//
// Each connection begins with a snapshot: the messages of a gap are lost, but not their effect. Pauses grow with
// consecutive failures. Each is drawn evenly between zero and its bound, so that clients do not all return at once
// after an outage. A regular close of a healthy connection by the server is not a failure.

import { assert } from '#engine/base/assert.ts';
import { Backoff } from '#engine/base/backoff.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  LIVE_CLOSE_MS,
  LIVE_CONNECT_DEADLINE_MS,
  LIVE_HEALTHY_MS,
  LIVE_KEPT_MESSAGES_MAX,
  LIVE_RESUME_MS_MAX,
  LIVE_RETRY_MS,
  LIVE_RETRY_MS_MAX,
  LIVE_SILENCE_MS,
  LIVE_SUBSCRIBE_DEADLINE_MS,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { Random } from '#engine/base/random.ts';
import type { LiveListener, LiveSource } from './live-source.ts';
import { SignalrConnection, type SignalrConnectionLimits, type SignalrEnding } from './signalr-connection.ts';

export interface SignalrSourceParts {
  /** The hub's address, such as `https://livetiming.formula1.com/signalrcore`, or the same with `wss`. */
  readonly url: string;
  /** Some topics need it; the server sends the others without one. */
  readonly accessToken: string | null;
  readonly topics: readonly string[];
  readonly clock: TimerClock;
  readonly random: Random;
  readonly log: Log;
  /** Overrides the bounds of limits.ts in tests. */
  readonly limits?: Partial<SignalrLimits>;
}

export interface SignalrLimits extends SignalrConnectionLimits {
  readonly retryMs: number;
  readonly retryMsMax: number;
  readonly resumeMsMax: number;
  readonly healthyMs: number;
}

const LIMITS: SignalrLimits = {
  silenceMs: LIVE_SILENCE_MS,
  connectDeadlineMs: LIVE_CONNECT_DEADLINE_MS,
  subscribeDeadlineMs: LIVE_SUBSCRIBE_DEADLINE_MS,
  closeMs: LIVE_CLOSE_MS,
  keptMessagesMax: LIVE_KEPT_MESSAGES_MAX,
  retryMs: LIVE_RETRY_MS,
  retryMsMax: LIVE_RETRY_MS_MAX,
  resumeMsMax: LIVE_RESUME_MS_MAX,
  healthyMs: LIVE_HEALTHY_MS,
};

type State =
  | { readonly kind: 'new' }
  | { readonly kind: 'connected'; readonly connection: SignalrConnection }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'closed' };

export class SignalrSource implements LiveSource {
  readonly #parts: SignalrSourceParts;
  readonly #limits: SignalrLimits;
  readonly #backoff: Backoff;
  readonly #topics: ReadonlySet<string>;
  readonly #url: string;
  #state: State = { kind: 'new' };
  #listener: LiveListener | null = null;
  /** Whether the listener got a snapshot since the last loss. */
  #hasSnapshot = false;
  /** Consecutive connections that failed. */
  #failures = 0;
  /** The missing topics that were logged last, so that a reconnection does not log them again. */
  #missingLogged = '';

  constructor(parts: SignalrSourceParts) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#backoff = new Backoff(this.#limits.retryMs, this.#limits.retryMsMax);
    this.#topics = new Set(parts.topics);
    // The library negotiates over HTTP first and derives the WebSocket's address from this one.
    this.#url = parts.url.replace(/^ws/i, 'http');
    const { protocol, username, password } = new URL(this.#url);
    assert(/^https?:$/.test(protocol), 'the address of live timing is an HTTP or WebSocket URL');
    assert(username === '' && password === '', 'the address of live timing holds no password, because errors show it');
  }

  start(listener: LiveListener): void {
    assert(this.#state.kind === 'new', 'a live source is started once');
    this.#listener = listener;
    this.#connect();
  }

  refresh(): void {
    if (this.#state.kind === 'connected') this.#state.connection.refresh();
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'closed' };
    if (state.kind === 'waiting') state.cancel();
    if (state.kind === 'connected') await state.connection.close();
  }

  #connect(): void {
    const { accessToken, clock, log } = this.#parts;
    const parts = { url: this.#url, accessToken, topics: this.#topics, clock, log, limits: this.#limits };
    const connection = new SignalrConnection(parts, {
      snapshot: ({ topics, missing }, receivedMs) => {
        if (!this.#hasSnapshot) log.info({ topics: topics.length }, 'live timing: connected');
        this.#hasSnapshot = true;
        this.#logMissing(missing);
        this.#listener!.snapshot(topics, receivedMs);
      },
      message: (message, receivedMs) => this.#listener!.message(message, receivedMs),
      ended: (ending) => this.#ended(ending),
    });
    this.#state = { kind: 'connected', connection };
  }

  #ended({ reason, isRegular, followedMs }: SignalrEnding): void {
    const { clock, log, random } = this.#parts;
    const wasHealthy = followedMs >= this.#limits.healthyMs;
    if (wasHealthy) this.#failures = 0;
    const mostMs = isRegular && wasHealthy ? this.#limits.resumeMsMax : this.#backoff.pauseMs(this.#failures);
    if (!(isRegular && wasHealthy)) this.#failures++;
    const delayMs = random.next() * mostMs;
    const details = { reason, retryMs: Math.round(delayMs) };
    if (isRegular && wasHealthy) log.info(details, 'live timing: the server closed the connection; reconnecting');
    else log.warn(details, 'live timing: not connected; trying again');
    this.#state = { kind: 'waiting', cancel: clock.schedule(delayMs, () => this.#connect()) };
    if (!this.#hasSnapshot) return;
    this.#hasSnapshot = false;
    this.#listener!.lost(reason);
  }

  #logMissing(missing: readonly string[]): void {
    const topics = missing.join(' ');
    if (topics === this.#missingLogged) return;
    this.#missingLogged = topics;
    if (topics === '') return;
    const withToken = this.#parts.accessToken !== null;
    this.#parts.log.warn(
      { topics: missing, withToken },
      'live timing: no data for these topics; they have none yet, the server does not know them, or they need an access token',
    );
  }
}
