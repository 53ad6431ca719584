// Things that are due at a time each, the earliest first: a binary heap. To add one, or to take the first, takes as many steps as
// the logarithm of their number.

export class TimeHeap<Item> {
  readonly #items: Item[] = [];
  readonly #times: number[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** When the first one is due; Infinity without any. */
  get firstMs(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  add(atMs: number, item: Item): void {
    this.#rise(this.#items.length, atMs, item);
  }

  /** Removes and returns the first one that is due by `nowMs`; null without any. */
  take(nowMs: number): Item | null {
    return this.firstMs <= nowMs ? this.#removeAt(0) : null;
  }

  /** Looks at all of them. */
  remove(item: Item): void {
    const place = this.#items.indexOf(item);
    if (place !== -1) this.#removeAt(place);
  }

  #removeAt(place: number): Item {
    const removed = this.#items[place]!;
    const item = this.#items.pop()!;
    const atMs = this.#times.pop()!;
    // The last one takes the place that is left, unless that was its own.
    if (place < this.#items.length && this.#sink(place, atMs, item) === place) this.#rise(place, atMs, item);
    return removed;
  }

  /** Puts it at this place or above, where none above it is later. */
  #rise(place: number, atMs: number, item: Item): void {
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.#times[above]! <= atMs) break;
      this.#put(place, this.#times[above]!, this.#items[above]!);
      place = above;
    }
    this.#put(place, atMs, item);
  }

  /** Puts it at this place or below, where none below it is earlier. Returns where. */
  #sink(place: number, atMs: number, item: Item): number {
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#items.length) break;
      if (below + 1 < this.#items.length && this.#times[below + 1]! < this.#times[below]!) below++;
      if (this.#times[below]! >= atMs) break;
      this.#put(place, this.#times[below]!, this.#items[below]!);
      place = below;
    }
    this.#put(place, atMs, item);
    return place;
  }

  #put(place: number, atMs: number, item: Item): void {
    this.#items[place] = item;
    this.#times[place] = atMs;
  }
}
