// One worker thread for one kind of task, one at a time. It starts with the first task; should it die, the task that it was at
// fails and the next one has a new thread.
//
// Tasks wait in a line of our own: those in Piscina's would wait for ever when a thread dies, until somebody asks for another.

import { Piscina } from 'piscina';

export class PiscinaThread<Task, Result> {
  readonly #pool: Piscina<Task, Result>;
  #latest: Promise<unknown> = Promise.resolve();

  /** `name` is the function that `file` exports; an idle thread ends after `idleMs`. */
  constructor(file: URL, name: string, idleMs: number) {
    this.#pool = new Piscina({ filename: file.href, name, minThreads: 0, maxThreads: 1, idleTimeout: idleMs });
  }

  run(task: Task): Promise<Result> {
    const result = this.#latest.then(() => this.#pool.run(task));
    this.#latest = result.catch(() => {});
    return result;
  }

  /** What is under way and what waits is given up. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
