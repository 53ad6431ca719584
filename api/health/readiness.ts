// Whether the service can do its work at this moment, for load balancers and whoever watches over it.
//
// Asking must cost nothing, because anybody may: an answer is given again for a moment, and the database is asked one
// question at a time, however many wait for it and however long it takes.

import type { Clock } from '#engine/base/clock.ts';
import { READY_CACHE_MS, READY_WAIT_MS } from '#engine/base/limits.ts';

export interface ReadinessParts {
  readonly clock: Clock;
  /** Resolves when the database has answered. */
  readonly ping: () => Promise<unknown>;
  /** What else is wrong, each in a few words; shown to anybody. */
  readonly problems: () => Promise<readonly string[]>;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  #answer: { readonly untilMs: number; readonly problems: Promise<readonly string[]> } | null = null;
  /** The question that the database has not answered yet. */
  #ping: Promise<boolean> | null = null;
  #leaving = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** The service is about to stop. */
  leave(): void {
    this.#leaving = true;
  }

  /** What keeps the service from its work; empty when it is ready. */
  async problems(): Promise<readonly string[]> {
    if (this.#leaving) return ['the service is stopping'];
    const nowMs = this.#parts.clock.nowMs();
    if (this.#answer === null || nowMs >= this.#answer.untilMs) {
      this.#answer = { untilMs: nowMs + READY_CACHE_MS, problems: this.#look() };
    }
    return this.#answer.problems;
  }

  async #look(): Promise<readonly string[]> {
    const [reached, problems] = await Promise.all([this.#reachesDatabase(), this.#parts.problems()]);
    return reached ? problems : ['the database cannot be reached', ...problems];
  }

  async #reachesDatabase(): Promise<boolean> {
    this.#ping ??= this.#parts
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#ping = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, READY_WAIT_MS, false);
    });
    return Promise.race([this.#ping, patience]).finally(() => clearTimeout(timer));
  }
}
