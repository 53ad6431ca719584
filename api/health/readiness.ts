// Whether the service is ready, for load balancers and monitoring.
//
// A check must be cheap, because it needs no authentication. Results are cached briefly, and at most one database ping
// is under way, however many checks wait for it and however long it takes.

import type { Clock } from '#engine/base/clock.ts';
import { READY_CACHE_MS, READY_WAIT_MS } from '#engine/base/limits.ts';

export interface ReadinessParts {
  readonly clock: Clock;
  /** Resolves when the database has responded. */
  readonly ping: () => Promise<unknown>;
  /** Other problems, each in a few words. They are public. */
  readonly problems: () => Promise<readonly string[]>;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  #cached: { readonly untilMs: number; readonly problems: Promise<readonly string[]> } | null = null;
  /** The ping under way. */
  #ping: Promise<boolean> | null = null;
  #leaving = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** The service is about to stop. */
  leave(): void {
    this.#leaving = true;
  }

  /** Why the service is not ready; empty if it is. */
  async problems(): Promise<readonly string[]> {
    if (this.#leaving) return ['the service is stopping'];
    const nowMs = this.#parts.clock.nowMs();
    if (this.#cached === null || nowMs >= this.#cached.untilMs) {
      this.#cached = { untilMs: nowMs + READY_CACHE_MS, problems: this.#check() };
    }
    return this.#cached.problems;
  }

  async #check(): Promise<readonly string[]> {
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
