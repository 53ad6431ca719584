// One worker thread that runs one kind of task, one task at a time. It starts with the first task. If it dies, its
// present task fails and the next one gets a new thread.
//
// Tasks wait in a queue of our own: after a thread has died, those in Piscina's queue wait until another task is
// submitted.

import { Piscina } from 'piscina';

export class PiscinaThread<Task, Result> {
  readonly #pool: Piscina<Task, Result>;
  #latest: Promise<unknown> = Promise.resolve();

  /** `name` of the function that `file` exports. An idle thread ends after `idleMs`. */
  constructor(file: URL, name: string, idleMs: number) {
    this.#pool = new Piscina({ filename: file.href, name, minThreads: 0, maxThreads: 1, idleTimeout: idleMs });
  }

  run(task: Task): Promise<Result> {
    const result = this.#latest.then(() => this.#pool.run(task));
    this.#latest = result.catch(() => {});
    return result;
  }

  /** Ends the thread. The present task and all waiting ones are abandoned. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
