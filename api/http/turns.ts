// Lets each holder have a few pieces of work under way at a time; its others wait in order. So a holder that sends very
// much waits for itself, and not everybody else for it.

import { Shares } from './shares.ts';

export class Turns {
  readonly #atOnce: Shares;
  readonly #waitingMax: number;
  /** By holder: what starts the work that waits, the oldest first. Only of holders with work that waits. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnce = new Shares(atOnceMax);
    this.#waitingMax = waitingMax;
  }

  /** Runs the work when it is its turn. Returns null, and does not run it, if too much work of its holder waits. */
  run<Result>(holder: string, work: () => Promise<Result>): Promise<Result> | null {
    if (this.#atOnce.take(holder)) return this.#begin(holder, work);
    const waiting = this.#waiting.get(holder) ?? [];
    if (waiting.length >= this.#waitingMax) return null;
    this.#waiting.set(holder, waiting);
    return new Promise<void>((resolve) => waiting.push(resolve)).then(() => this.#begin(holder, work));
  }

  /** Runs the work, and passes its turn on. */
  async #begin<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      const waiting = this.#waiting.get(holder);
      const next = waiting?.shift();
      if (waiting?.length === 0) this.#waiting.delete(holder);
      if (next === undefined) this.#atOnce.give(holder);
      else next();
    }
  }
}
