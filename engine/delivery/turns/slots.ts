// The slots of a shard: how many attempts may be under way, and whose.
//
// An account gets another slot only while it holds fewer than so many times as many as are free. So one account alone may
// hold nearly all, two hold as many each, and what is left free grows smaller but is there for the next account at once.
// Actors that have no slot may use up more of the free ones than those that want a further one.

import { assert } from '#engine/base/assert.ts';
import { FURTHER_SLOTS_PER_FREE_MAX, SHARD_IN_FLIGHT_MAX, SLOTS_PER_FREE_MAX } from '#engine/base/limits.ts';
import type { AccountShare, TurnTaker } from './account-share.ts';
import type { ReadyLanes } from './ready-lanes.ts';

export class Slots<Actor extends TurnTaker<Actor>> {
  readonly #lanes: ReadyLanes<Actor>;
  /** How many there are. */
  readonly #all: number;
  /** Accounts with actors that were refused a slot. The one whose turn it is comes first. */
  readonly #refused = new Set<AccountShare<Actor>>();
  readonly #passed: AccountShare<Actor>[] = [];
  #inFlight = 0;

  constructor(lanes: ReadyLanes<Actor>, all = SHARD_IN_FLIGHT_MAX) {
    this.#lanes = lanes;
    this.#all = all;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes a slot for an actor that holds `held` already; false if there is none for it. `far`: see ActorHost. */
  take(actor: Actor, held: number, far: boolean, hasRoom: boolean): boolean {
    const { share } = actor;
    const mayHave =
      held === 0
        ? this.#hasFirst(share.inFlight, this.#inFlight)
        : (far || !this.#lanes.crowded(share)) && this.#hasFurther(share.inFlight, this.#inFlight);
    if (mayHave && hasRoom) {
      share.inFlight++;
      this.#inFlight++;
      return true;
    }
    (held === 0 ? share.starved : share.wanting).add(actor);
    this.#refused.add(share);
    return false;
  }

  /** Takes a slot for a test of the account; false if there is none for it. A test does not wait. */
  takeForTest(share: AccountShare<Actor>): boolean {
    if (!this.#hasFirst(share.inFlight, this.#inFlight)) return false;
    share.inFlight++;
    this.#inFlight++;
    return true;
  }

  release(share: AccountShare<Actor>): void {
    assert(share.inFlight > 0, 'S3: a slot is returned once');
    share.inFlight--;
    this.#inFlight--;
  }

  /** The actor wants no slot any more. */
  forget(actor: Actor): void {
    const { share } = actor;
    share.starved.delete(actor);
    share.wanting.delete(actor);
    if (share.starved.size === 0 && share.wanting.size === 0) this.#refused.delete(share);
  }

  /** Whether an actor that was refused a slot could get one now. */
  get awaited(): boolean {
    if (this.#inFlight === this.#all) return false;
    for (const share of this.#refused) if (this.#nextOf(share, share.inFlight, this.#inFlight) !== null) return true;
    return false;
  }

  /** Gives those that were refused a slot, and could get one now, a turn before others of their accounts. */
  readyRefused(): void {
    let inFlight = this.#inFlight;
    if (inFlight === this.#all) return;
    for (const share of this.#refused) share.expected = share.inFlight;
    // Each account that still waits is put at the end, so the loop comes back to it after all the others.
    for (const share of this.#refused) {
      const waiting = this.#nextOf(share, share.expected, inFlight);
      this.#refused.delete(share);
      if (waiting === null) {
        this.#passed.push(share);
        continue;
      }
      for (const actor of waiting) {
        waiting.delete(actor);
        this.#lanes.addFirst(actor);
        break;
      }
      share.expected++;
      inFlight++;
      if (share.starved.size > 0 || share.wanting.size > 0) this.#refused.add(share);
    }
    for (const share of this.#passed) this.#refused.add(share);
    this.#passed.length = 0;
  }

  /** Those of an account's refused actors from which one could get a slot, with so many attempts under way. */
  #nextOf(share: AccountShare<Actor>, held: number, inFlight: number): Set<Actor> | null {
    if (share.starved.size > 0 && this.#hasFirst(held, inFlight)) return share.starved;
    const mayWant = share.wanting.size > 0 && !this.#lanes.crowded(share);
    return mayWant && this.#hasFurther(held, inFlight) ? share.wanting : null;
  }

  #hasFirst(held: number, inFlight: number): boolean {
    return held < SLOTS_PER_FREE_MAX * (this.#all - inFlight);
  }

  #hasFurther(held: number, inFlight: number): boolean {
    return held < FURTHER_SLOTS_PER_FREE_MAX * (this.#all - inFlight);
  }
}
