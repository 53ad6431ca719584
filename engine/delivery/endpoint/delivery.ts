// One update on its way to one endpoint: all its attempts.
//
// Its state owns what it needs: the exchange and the deadline exist only while an attempt is under way, the delay only
// while it waits, and one timer serves both. An answer that comes in any other state changes nothing (I3).

import { assert } from '#engine/base/assert.ts';
import { Timer } from '#engine/base/timer-wheel.ts';
import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { Exchange, ExchangeListener } from '#engine/delivery/transport/transport.ts';

/** First attempts and retries have slots apart. */
export type Slot = 'first' | 'retry';

export type DeliveryState =
  /** Not begun, or due again and without a slot. */
  | { readonly kind: 'due' }
  | {
      readonly kind: 'sending';
      /** Which of the endpoint's slots it holds. */
      readonly slot: Slot;
      readonly exchange: Exchange;
      readonly startedAtMs: number;
      readonly createdAtMs: number;
    }
  /** Until the wall clock's `untilMs` at the earliest (I4). */
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'settled' };

/** What a delivery belongs to: an endpoint's actor, or a test. */
export interface DeliveryOwner {
  /** The attempt under way has ended. */
  attemptEnded(delivery: Delivery, result: AttemptResult): void;
  /** The deadline passed, or the delay is over. */
  timeUp(delivery: Delivery): void;
  /** One of these calls threw. */
  failed(error: Error): void;
}

/** Hands results to the owner they are for, and deals with an owner that throws. */
export interface DeliverySupervisor {
  attemptEnded(delivery: Delivery, result: AttemptResult): void;
}

const DUE: DeliveryState = { kind: 'due' };
const SETTLED: DeliveryState = { kind: 'settled' };

export class Delivery implements ExchangeListener {
  readonly owner: DeliveryOwner;
  readonly position: number;
  readonly #supervisor: DeliverySupervisor;
  readonly timer: Timer<Delivery> = new Timer<Delivery>(this);
  /** Its place in the owner's list of deliveries that are not settled. */
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
    assert(this.#state.kind === 'due', 'an attempt starts when it is due');
    this.#state = { kind: 'sending', slot, exchange, startedAtMs, createdAtMs };
  }

  /** The attempt under way counts as made, whatever comes of it. */
  attempted(): void {
    assert(this.#state.kind === 'sending', 'an attempt ends after it started');
    this.#attemptsMade++;
    this.#state = DUE;
  }

  waiting(untilMs: number): void {
    assert(this.#state.kind === 'due', 'a delay follows an attempt');
    this.#state = { kind: 'waiting', untilMs };
  }

  due(): void {
    assert(this.#state.kind === 'waiting', 'I4: due after the delay');
    this.#state = DUE;
  }

  settled(): void {
    assert(this.#state.kind === 'due' || this.#state.kind === 'waiting', 'settled with no attempt under way');
    this.#state = SETTLED;
  }

  ended(result: AttemptResult): void {
    if (this.#state.kind === 'sending') this.#supervisor.attemptEnded(this, result);
  }
}
