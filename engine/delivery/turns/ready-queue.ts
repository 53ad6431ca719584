// Who waits for a turn, each at most once, first come, first served. Those who wait are linked to one another, so that
// nothing is allocated and nothing is moved, however many they are.

export interface Turnable<Self> {
  queued: boolean;
  /** The next one in the queue. */
  next: Self | null;
}

export class ReadyQueue<Item extends Turnable<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;
  /** The last one of those that were put first. */
  #lastOfFirst: Item | null = null;

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** Returns false if it waits already. */
  add(item: Item): boolean {
    if (item.queued) return false;
    item.queued = true;
    if (this.#last === null) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    return true;
  }

  /** Puts it before all others, but after those that were put first before it. Returns false if it waits already. */
  addFirst(item: Item): boolean {
    if (item.queued) return false;
    item.queued = true;
    if (this.#lastOfFirst === null) {
      item.next = this.#first;
      this.#first = item;
    } else {
      item.next = this.#lastOfFirst.next;
      this.#lastOfFirst.next = item;
    }
    this.#lastOfFirst = item;
    if (item.next === null) this.#last = item;
    return true;
  }

  /** Takes the next one; null when there is none. */
  take(): Item | null {
    const item = this.#first;
    if (item === null) return null;
    this.#first = item.next;
    if (item.next === null) this.#last = null;
    if (item === this.#lastOfFirst) this.#lastOfFirst = null;
    item.next = null;
    item.queued = false;
    return item;
  }
}
