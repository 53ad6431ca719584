// Work that continues after the response, because its duration would reveal something to the client. It is bounded, its
// failures are logged, and shutdown waits for it.

import { setImmediate } from 'node:timers/promises';
import { ApiError } from '#api/http/api-error.ts';
import { MAILS_WAITING_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';

export class BackgroundWork {
  readonly #log: Log;
  readonly #underWay = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts the work and logs its failure as `${what} failed`. Throws `unavailable` if too much is under way. */
  run(what: string, work: () => Promise<void>): void {
    if (this.#underWay.size >= MAILS_WAITING_MAX) {
      throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    }
    const done = setImmediate()
      .then(work)
      .catch((error: Error) => this.#log.warn({ reason: error.message }, `${what} failed`))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  /** Resolves when no work is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
