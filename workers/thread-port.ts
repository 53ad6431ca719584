// The port of a thread that listens, as the main thread knows it: unknown until the thread listens for the first time, and
// the same after each restart.

export class ThreadPort {
  readonly #first = Promise.withResolvers<void>();
  #port: number | null = null;

  /** Resolves when the thread first listens. Rejects when it cannot. */
  get listening(): Promise<void> {
    return this.#first.promise;
  }

  /** Null before that. */
  get number(): number | null {
    return this.#port;
  }

  /** The thread listens on this port. */
  listens(port: number): void {
    this.#port = port;
    this.#first.resolve();
  }

  /** The thread cannot listen. */
  failed(error: Error): void {
    this.#first.reject(error);
  }
}
