// Hands slots over to nodes that have fewer, such as one that has just joined.
//
// HO1 A slot is given away once none of its work is under way here and all of it is recorded. The new home resumes that
//     work from there: nothing is lost, and nothing that was recorded is repeated.
// HO2 Requests that come meanwhile wait, and then go to the new home.
// HO3 A handover that takes too long is given up. This node keeps the slots and tries again later.
// HO4 When the answer of the database was lost, the slots may be the other node's: until the database says that they are not,
//     they are nobody's home here.
// HO5 No slot is given away while this node still resumes what it has gained: a run that is being resumed is not let go of.

import type { IsOurs } from '#api/http/homes.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { HANDOVER_LOOK_MS, HANDOVER_MS_MAX, HANDOVER_SLOTS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import type { Membership } from '#engine/nodes/membership.ts';
import { slotOf, surplus } from '#engine/nodes/slots.ts';
import type { ClusterHomes } from './cluster-homes.ts';

export interface HandoverParts {
  readonly nodeNo: number;
  readonly homes: ClusterHomes;
  readonly membership: Pick<Membership, 'give' | 'owns'>;
  /** As in `App`. */
  readonly letGo: (isTheirs: IsOurs) => Promise<boolean>;
  readonly gain: (isOurs: IsOurs) => Promise<void>;
  readonly clock: TimerClock;
  readonly log: Log;
}

export class Handover {
  readonly #parts: HandoverParts;
  #balancing: Promise<void> | null = null;
  /** How many gains are under way. */
  #gaining = 0;
  readonly #closing = new AbortController();

  constructor(parts: HandoverParts) {
    this.#parts = parts;
  }

  /** Resumes what is at home here now (HO5). */
  gain(slots: readonly number[]): void {
    if (slots.length === 0) return;
    const { gain, log } = this.#parts;
    const gained = new Set(slots);
    log.info({ slots: slots.length }, 'this node is home to more accounts');
    this.#gaining++;
    void this.#untilDone(
      () => gain((accountId) => gained.has(slotOf(accountId))),
      (error) =>
        log.warn({ err: error }, 'could not resume the runs of accounts that are at home here now; it is tried again'),
    ).then(() => {
      this.#gaining--;
    });
  }

  /** Gives away what this node has more than its share, unless that or a gain is under way: call it again then. */
  balance(): void {
    if (this.#closing.signal.aborted || this.#balancing !== null || this.#gaining > 0) return;
    this.#balancing = this.#balance().finally(() => {
      this.#balancing = null;
    });
  }

  /** Begins no further handover. Resolves when the one under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#balancing;
  }

  async #balance(): Promise<void> {
    const { homes, nodeNo, log } = this.#parts;
    const live = homes.nodes.filter(({ expired }) => !expired).map((node) => node.nodeNo);
    for (const [to, slots] of surplus(homes.owners, nodeNo, live)) {
      for (let i = 0; i < slots.length && !this.#closing.signal.aborted; i += HANDOVER_SLOTS) {
        const part = slots.slice(i, i + HANDOVER_SLOTS);
        if (!(await this.#give(part, to))) {
          log.warn({ slots: part.length, to }, 'could not hand over slots to another node yet; it is tried again');
          return;
        }
      }
      log.info({ slots: slots.length, to }, 'handed over slots to another node');
    }
  }

  async #give(slots: readonly number[], to: number): Promise<boolean> {
    const { homes, letGo, gain, log } = this.#parts;
    const theirs = new Set(slots);
    const isTheirs: IsOurs = (accountId) => theirs.has(slotOf(accountId));
    const stay = homes.leave(slots);
    let given = false;
    try {
      if ((await this.#quiet(slots)) && (await letGo(isTheirs))) {
        const handedOver = await this.#handOver(slots, to);
        if (handedOver === null) return false;
        given = handedOver;
      }
      if (given) homes.given(slots, to);
    } catch (error) {
      log.warn({ err: error }, 'could not hand over slots to another node');
    }
    stay();
    // HO3
    if (!given)
      await this.#untilDone(
        () => gain(isTheirs),
        (error) => log.warn({ err: error }, 'could not resume runs here; it is tried again'),
      );
    return given;
  }

  /** Null: this node stops before it is known (HO4). */
  async #handOver(slots: readonly number[], to: number): Promise<boolean | null> {
    const { membership, nodeNo, log } = this.#parts;
    const failed = (error: unknown): void =>
      log.warn({ slots: slots.length, to, err: error }, 'it is not known whether slots were handed over; asking again');
    try {
      return await membership.give(slots, nodeNo, to);
    } catch (error) {
      failed(error);
    }
    const stayed = await this.#untilDone(() => membership.owns(nodeNo, slots), failed);
    return stayed === null ? null : !stayed;
  }

  /** Null: this node stops first. */
  #untilDone<Result>(work: () => Promise<Result>, failed: (error: unknown) => void): Promise<Result | null> {
    const { signal } = this.#closing;
    return untilDone(work, {
      pause: (delayMs) => this.#parts.clock.sleep(delayMs, signal),
      isClosing: () => signal.aborted,
      failed,
    }).catch(() => null);
  }

  /** Waits until no request of these slots is under way. */
  async #quiet(slots: readonly number[]): Promise<boolean> {
    const { homes, clock } = this.#parts;
    const untilMs = clock.nowMs() + HANDOVER_MS_MAX;
    while (homes.underWay(slots) > 0) {
      if (clock.nowMs() >= untilMs) return false;
      await clock.sleep(HANDOVER_LOOK_MS);
    }
    return true;
  }
}
