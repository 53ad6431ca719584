// Lets one change at a time through for each key. A change reads the whole endpoint back before it tells the delivery
// engine; two at once could tell it in the wrong order and leave it with old settings.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work of this key has ended, well or badly. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
