// Endpoints that wait for a handshake, each at most once. Accounts take turns (TH6); within one, first come, first served.

/** What the queue needs to know of those who wait. */
export interface Seeker {
  readonly account: string;
}

export class SeekerQueue<Item extends Seeker> {
  /** By account. The one whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<Item>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  has(item: Item): boolean {
    return this.#waiting.get(item.account)?.has(item) === true;
  }

  add(item: Item): void {
    const own = this.#waiting.get(item.account);
    if (own === undefined) this.#waiting.set(item.account, new Set([item]));
    else own.add(item);
  }

  delete(item: Item): void {
    const own = this.#waiting.get(item.account);
    if (own?.delete(item) === true && own.size === 0) this.#waiting.delete(item.account);
  }

  /** Takes the next one; null when there is none. */
  take(): Item | null {
    for (const [account, own] of this.#waiting) {
      this.#waiting.delete(account);
      for (const item of own) {
        own.delete(item);
        if (own.size > 0) this.#waiting.set(account, own);
        return item;
      }
    }
    return null;
  }
}
