// One worker thread that runs one kind of task, one task at a time. It starts with the first task. If it dies, or cannot
// start, its present task fails and the next one gets a new thread. Neither ends the process.
//
// Tasks wait in a queue of our own: after a thread has died, those in Piscina's queue wait until another task is
// submitted, and if it could not start they wait for ever.

import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';

export class PiscinaThread<Task, Result> {
  readonly #file: URL;
  readonly #name: string;
  readonly #idleMs: number;
  #pool: Piscina<Task, Result> | null = null;
  /** Fails the present task. */
  #fail: ((error: Error) => void) | null = null;
  #latest: Promise<unknown> = Promise.resolve();
  #tasks = 0;
  #closed = false;

  /** `name` of the function that `file` exports. An idle thread ends after `idleMs`. */
  constructor(file: URL, name: string, idleMs: number) {
    this.#file = file;
    this.#name = name;
    this.#idleMs = idleMs;
  }

  /** The present task and those that wait. */
  get tasks(): number {
    return this.#tasks;
  }

  /** `transfer`: what the task hands over to the thread. */
  run(task: Task, transfer: Transferable[] = []): Promise<Result> {
    this.#tasks++;
    const result = this.#latest
      .then(() => this.#runNow(task, transfer))
      .finally(() => {
        this.#tasks--;
      });
    this.#latest = result.catch(() => {});
    return result;
  }

  /** Ends the thread. The present task and all waiting ones are abandoned. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }

  async #runNow(task: Task, transfer: Transferable[]): Promise<Result> {
    if (this.#closed) throw new Error('the thread is closed');
    this.#pool ??= this.#start();
    const { promise: failed, reject } = Promise.withResolvers<never>();
    this.#fail = reject;
    try {
      return await Promise.race([this.#pool.run(task, { transferList: transfer }), failed]);
    } finally {
      this.#fail = null;
    }
  }

  #start(): Piscina<Task, Result> {
    const pool = new Piscina<Task, Result>({
      filename: this.#file.href,
      name: this.#name,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: this.#idleMs,
    });
    // The thread died without a task, or before it took one: its files may just have been replaced.
    pool.on('error', (error: Error) => {
      if (this.#pool !== pool) return;
      this.#pool = null;
      this.#fail?.(error);
      // Rejects the task that it never took, which has failed already.
      pool.destroy().catch(() => {});
    });
    return pool;
  }
}
