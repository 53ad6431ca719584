// Runs one piece of work at a time for each key. A change of an endpoint, for example, reads the endpoint back before
// it publishes the settings to the delivery engine: two at once could publish in the wrong order and leave old settings
// in force.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work of this key has ended, with or without an error. */
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
