// The last few of something; the oldest go first.

export class Ring<Item> {
  readonly #max: number;
  #items: Item[] = [];
  /** Where the oldest item is, once the ring is full. */
  #oldest = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: Item): void {
    if (this.#items.length < this.#max) this.#items.push(item);
    else {
      this.#items[this.#oldest] = item;
      this.#oldest = (this.#oldest + 1) % this.#max;
    }
  }

  /** Keeps those of which this is true. */
  keep(isKept: (item: Item) => boolean): void {
    this.#items = this.newest(this.size).filter(isKept).toReversed();
    this.#oldest = 0;
  }

  clear(): void {
    this.#items = [];
    this.#oldest = 0;
  }

  /** At most `count`, the newest first. */
  newest(count: number): readonly Item[] {
    const { length } = this.#items;
    return Array.from(
      { length: Math.min(count, length) },
      (_, back) => this.#items[(this.#oldest + length - 1 - back) % length]!,
    );
  }
}
