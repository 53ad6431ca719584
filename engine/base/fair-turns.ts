// Runs a few pieces of work at a time, and lets the holders of those that wait take turns: a holder that asks for much
// delays another one by what is under way, not by all that it asked for. Work that several holders want runs once, when it
// is the turn of any of them.

import { assert } from './assert.ts';

/** A piece of work that runs or waits. */
export interface Turn<Result> {
  readonly result: Promise<Result>;
  /** Another holder wants it, too. */
  alsoFor(holder: string): void;
}

interface Waiting {
  readonly holders: Set<string>;
  readonly start: () => void;
  started: boolean;
}

export class FairTurns {
  readonly #atOnceMax: number;
  /** What waits, by holder, the oldest first. The first holder is the next in turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  #running = 0;

  constructor(atOnceMax: number) {
    assert(atOnceMax > 0, 'some work can run');
    this.#atOnceMax = atOnceMax;
  }

  run<Result>(holder: string, work: () => Promise<Result>): Turn<Result> {
    const { promise: turn, resolve: start } = Promise.withResolvers<void>();
    const waiting: Waiting = { holders: new Set(), start, started: false };
    if (this.#running < this.#atOnceMax) {
      this.#running++;
      waiting.started = true;
      start();
    } else this.#wait(waiting, holder);
    const result = turn.then(work).finally(() => this.#passOn());
    return { result, alsoFor: (other) => this.#wait(waiting, other) };
  }

  #wait(work: Waiting, holder: string): void {
    if (work.started || work.holders.has(holder)) return;
    work.holders.add(holder);
    const own = this.#waiting.get(holder);
    if (own === undefined) this.#waiting.set(holder, [work]);
    else own.push(work);
  }

  /** Gives the place of the work that has ended to the next holder, which then goes behind the others. */
  #passOn(): void {
    for (const [holder, own] of this.#waiting) {
      const next = own.shift()!;
      this.#waiting.delete(holder);
      if (own.length > 0) this.#waiting.set(holder, own);
      if (next.started) continue;
      next.started = true;
      next.start();
      return;
    }
    this.#running--;
  }
}
