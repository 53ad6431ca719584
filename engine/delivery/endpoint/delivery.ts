// All attempts of one update to one endpoint.
//
// Each state holds only what it needs: the exchange and the deadline exist while an attempt is under way, the delay
// while the delivery waits for a retry. One timer serves both. A response that arrives in any other state changes
// nothing (I3).

import { assert } from '#engine/base/assert.ts';
import { Timer } from '#engine/base/timer-wheel.ts';
import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { Exchange, ExchangeListener } from '#engine/delivery/transport/transport.ts';

/** First attempts and retries have separate slots. */
export type Slot = 'first' | 'retry';

export type DeliveryState =
  /** Not started yet, or a retry is due. In both cases it has no slot. */
  | { readonly kind: 'due' }
  | {
      readonly kind: 'sending';
      /** Which kind of slot it holds. */
      readonly slot: Slot;
      readonly exchange: Exchange;
      readonly startedAtMs: number;
      readonly createdAtMs: number;
    }
  /** Waits for a retry, at the earliest until `untilMs`, Unix time (I4). */
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'settled' };

/** Owns deliveries: an endpoint's actor, or a test. */
export interface DeliveryOwner {
  /** The attempt under way has ended. */
  attemptEnded(delivery: Delivery, result: AttemptResult): void;
  /** The deadline has passed, or the retry delay is over. */
  timeUp(delivery: Delivery): void;
  /** One of the calls above threw. */
  failed(error: Error): void;
}

/** Passes a result to the owner of its delivery, and handles an owner that throws. */
export interface DeliverySupervisor {
  attemptEnded(delivery: Delivery, result: AttemptResult): void;
}

const DUE: DeliveryState = { kind: 'due' };
const SETTLED: DeliveryState = { kind: 'settled' };

export class Delivery implements ExchangeListener {
  readonly owner: DeliveryOwner;
  /** Of a snapshot: its number. */
  readonly position: number;
  readonly #supervisor: DeliverySupervisor;
  readonly timer: Timer<Delivery> = new Timer<Delivery>(this);
  /** Its index in the owner's list of unsettled deliveries. */
  place = -1;
  #attemptsMade: number;
  #state: DeliveryState = DUE;

  constructor(supervisor: DeliverySupervisor, owner: DeliveryOwner, position: number, attemptsMade: number) {
    this.#supervisor = supervisor;
    this.owner = owner;
    this.position = position;
    this.#attemptsMade = attemptsMade;
  }

  get attemptsMade(): number {
    return this.#attemptsMade;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  /** `startedAtMs` is monotonic, `createdAtMs` Unix time. */
  sending(slot: Slot, exchange: Exchange, startedAtMs: number, createdAtMs: number): void {
    assert(this.#state.kind === 'due', 'an attempt starts only when it is due');
    this.#state = { kind: 'sending', slot, exchange, startedAtMs, createdAtMs };
  }

  /** Counts the attempt under way as made, whatever its result. */
  attempted(): void {
    assert(this.#state.kind === 'sending', 'only an attempt that started ends');
    this.#attemptsMade++;
    this.#state = DUE;
  }

  waiting(untilMs: number): void {
    assert(this.#state.kind === 'due', 'a delay follows an attempt');
    this.#state = { kind: 'waiting', untilMs };
  }

  due(): void {
    assert(this.#state.kind === 'waiting', 'I4: a retry is due only after its delay');
    this.#state = DUE;
  }

  settled(): void {
    assert(
      this.#state.kind === 'due' || this.#state.kind === 'waiting',
      'a delivery is settled with no attempt under way',
    );
    this.#state = SETTLED;
  }

  ended(result: AttemptResult): void {
    if (this.#state.kind === 'sending') this.#supervisor.attemptEnded(this, result);
  }
}
