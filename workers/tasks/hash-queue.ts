// What waits to be hashed, by network. Networks take turns, each with its oldest first; so a flood from one network delays
// the others by a turn of its own, not by all that it sent. In a full queue the network with the most gives way.
//
// A network that an account is known from goes no earlier than others: the wait would tell that the address has an account.

import type { HashAsker } from '#api/accounts/password-hasher.ts';
import { busy } from '#api/http/common-refusals.ts';
import { HASHES_WAITING_MAX } from '#engine/base/limits.ts';

export interface Waiting {
  readonly asker: HashAsker;
  readonly reject: (error: Error) => void;
}

export class HashQueue<Work extends Waiting> {
  readonly #max: number;
  /** The first network is the next in turn. Only networks of which something waits. */
  readonly #networks = new Map<string, Work[]>();
  #size = 0;

  constructor(max = HASHES_WAITING_MAX) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /**
   * In a full queue, first those that nobody awaits are rejected as `busy`; then the newest of the network with the most, if
   * the newcomer's network has less also with it, and otherwise the newcomer.
   */
  add(work: Work): void {
    const { network } = work.asker;
    if (this.#size >= this.#max) this.#dropAbandoned();
    if (this.#size >= this.#max && !this.#makeRoomFor(network)) {
      work.reject(busy());
      return;
    }
    this.#size++;
    const own = this.#networks.get(network);
    if (own === undefined) this.#networks.set(network, [work]);
    else own.push(work);
  }

  /** Removes and returns the next in turn; its network goes behind the others. Null if none waits. */
  take(): Work | null {
    for (const [network, own] of this.#networks) {
      const next = own.shift()!;
      this.#size--;
      this.#networks.delete(network);
      if (own.length > 0) this.#networks.set(network, own);
      return next;
    }
    return null;
  }

  #dropAbandoned(): void {
    for (const [network, own] of this.#networks) {
      const awaited = own.filter(({ asker }) => asker.isAwaited());
      for (const { asker, reject } of own) if (!asker.isAwaited()) reject(busy());
      this.#size -= own.length - awaited.length;
      if (awaited.length > 0) this.#networks.set(network, awaited);
      else this.#networks.delete(network);
    }
  }

  #makeRoomFor(network: string): boolean {
    let most: Work[] = [];
    for (const own of this.#networks.values()) if (own.length > most.length) most = own;
    if (most.length <= (this.#networks.get(network)?.length ?? 0) + 1) return false;
    most.pop()!.reject(busy());
    this.#size--;
    return true;
  }
}
