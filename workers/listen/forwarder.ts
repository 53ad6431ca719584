// Forwards updates to one URL as deliveries come, with the same headers, signatures, deadline and retries. The rules are
// those of the endpoint actor, and their numbers and parts are the engine's:
//
// - First attempts start in the order of the stream, as many at once as the in-flight cap allows.
// - Retries come after their delays (I4) and have slots of their own, so they hold back no later update.
// - An update is taken when its first attempt starts. So what is in memory is bounded: the updates that wait for a retry,
//   and those under way.

import type { Update } from '#api/client/slipstream-client.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { DEADLINE_MS, RETRIES_IN_FLIGHT_MAX, RETRYING_MAX } from '#engine/base/limits.ts';
import { type AttemptResult, isDelivered, isOverload, TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import { InFlightCap } from '#engine/delivery/endpoint/in-flight-cap.ts';
import { retryDelayMs } from '#engine/delivery/endpoint/retry-schedule.ts';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';

/** Where updates go. */
export interface LocalReceiver {
  /** For delivery ids: the same receiver has the same one in every process. */
  readonly name: string;
  /** Sends one request. `lines`: header lines, each with CR LF. `ended` is called once, unless the request was abandoned. */
  send(lines: string, body: Uint8Array, ended: (result: AttemptResult) => void): { abandon(): void };
}

/** The replay that updates are of; null for live sessions. */
export type ForwardedRun = { readonly runId: string; readonly speed: number } | null;

/** What becomes of a delivery after an attempt. `unfinished`: it would be tried again, but nothing more is started. */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'retry'; readonly delayMs: number };

export interface AttemptReport {
  readonly update: Update;
  /** 1 to 4. */
  readonly attempt: number;
  readonly result: AttemptResult;
  readonly latencyMs: number;
  readonly after: AfterAttempt;
}

export interface ForwarderParts {
  readonly receiver: LocalReceiver;
  /** `whsec_...` */
  readonly secret: string;
  readonly run: ForwardedRun;
  readonly clock: Pick<TimerClock, 'nowMs' | 'wallMs' | 'schedule'>;
  readonly onAttempt: (report: AttemptReport) => void;
  /** Called for each update that waited for an attempt when `stop` was called. */
  readonly onGivenUp: (update: Update) => void;
}

/** An update on its way. */
interface Delivery {
  readonly update: Update;
  readonly body: Buffer;
  readonly headers: DeliveryHeaders;
  readonly idPrefix: string;
  attemptsMade: number;
  /** Cancels the timer of its retry while it waits for it. */
  cancelRetry: (() => void) | null;
}

type Slot = 'first' | 'retry';

const HEADER_PREFIX = 'X-Service';

export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #signer: Signer;
  readonly #cap = new InFlightCap();
  readonly #inFlight: Record<Slot, number> = { first: 0, retry: 0 };
  readonly #unsettled = new Set<Delivery>();
  /** Retries that are due and wait for a slot, oldest first. */
  readonly #dueRetries: Delivery[] = [];
  /** Called when something has changed that `forward` or `settled` waits for. */
  #wake: (() => void) | null = null;
  /** Whether `forward` waits for the cap. */
  #capped = false;
  #stopped = false;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
    this.#signer = new Signer(parts.secret, null);
  }

  /** Resolves when the first attempt has started, or when there will be none: after `stop`. Call it for one update at a time. */
  async forward(update: Update): Promise<void> {
    while (!this.#stopped && !this.#hasRoom()) await this.#change();
    this.#capped = false;
    if (this.#stopped) return this.#parts.onGivenUp(update);
    const { run, receiver } = this.#parts;
    const { sessionId, body } = update;
    const mode = run === null ? 'live' : 'replay';
    const headers = new DeliveryHeaders({ mode, sessionId, run, headerPrefix: HEADER_PREFIX });
    const idPrefix = headers.idPrefix(receiver.name);
    const delivery = { update, body: Buffer.from(body), headers, idPrefix, attemptsMade: 0, cancelRetry: null };
    this.#unsettled.add(delivery);
    this.#start(delivery, 'first');
  }

  /** Resolves when nothing is left to do: every update was delivered, has failed or was given up by `stop`. */
  async settled(): Promise<void> {
    while (this.#unsettled.size > 0) await this.#change();
  }

  /** Starts no more attempts. Those under way end. */
  stop(): void {
    this.#stopped = true;
    this.#dueRetries.length = 0;
    for (const delivery of this.#unsettled) {
      if (delivery.cancelRetry === null) continue;
      delivery.cancelRetry();
      this.#unsettled.delete(delivery);
      this.#parts.onGivenUp(delivery.update);
    }
    this.#changed();
  }

  #hasRoom(): boolean {
    if (this.#unsettled.size >= RETRYING_MAX) return false;
    this.#capped = this.#inFlight.first >= this.#cap.value;
    return !this.#capped;
  }

  #start(delivery: Delivery, slot: Slot): void {
    const { clock, receiver } = this.#parts;
    const { update, body, headers, idPrefix } = delivery;
    const startedAtMs = clock.nowMs();
    const attempt = delivery.attemptsMade + 1;
    delivery.attemptsMade = attempt;
    delivery.cancelRetry = null;
    this.#inFlight[slot]++;
    if (slot === 'first') this.#cap.started(this.#inFlight.first);
    const ended = (result: AttemptResult): void => {
      cancelDeadline();
      this.#ended(delivery, slot, result, clock.nowMs() - startedAtMs);
    };
    const { feed, sequence } = update;
    const lines = headers.forAttempt(this.#signer, idPrefix, feed, sequence, attempt, body, clock.wallMs());
    const request = receiver.send(lines, body, ended);
    const cancelDeadline = clock.schedule(DEADLINE_MS, () => {
      request.abandon();
      ended(TIMED_OUT);
    });
  }

  #ended(delivery: Delivery, slot: Slot, result: AttemptResult, latencyMs: number): void {
    const inFlight = this.#inFlight.first;
    this.#inFlight[slot]--;
    // This thread hardly works.
    if (isDelivered(result)) this.#cap.succeeded(latencyMs, latencyMs, this.#capped, inFlight);
    else if (isOverload(result)) this.#cap.overloaded();
    const after = this.#after(delivery, result);
    if (after.kind === 'retry') {
      delivery.cancelRetry = this.#parts.clock.schedule(after.delayMs, () => {
        this.#dueRetries.push(delivery);
        this.#startRetries();
      });
    } else {
      this.#unsettled.delete(delivery);
    }
    this.#parts.onAttempt({ update: delivery.update, attempt: delivery.attemptsMade, result, latencyMs, after });
    this.#startRetries();
    this.#changed();
  }

  #after({ attemptsMade }: Delivery, result: AttemptResult): AfterAttempt {
    if (isDelivered(result)) return { kind: 'delivered' };
    const delayMs = retryDelayMs(attemptsMade);
    if (delayMs === null) return { kind: 'failed' };
    return this.#stopped ? { kind: 'unfinished' } : { kind: 'retry', delayMs };
  }

  #startRetries(): void {
    while (this.#inFlight.retry < RETRIES_IN_FLIGHT_MAX && this.#dueRetries.length > 0) {
      this.#start(this.#dueRetries.shift()!, 'retry');
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #changed(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
