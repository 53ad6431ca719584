// Work that goes on after its request was answered, because the time that it takes would tell the client something. It is
// bounded, its failures are logged, and a stop waits for it.

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

  /** Takes the work on, whatever becomes of it; refuses with `unavailable` when there is too much already. */
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

  /** Resolves when all that was taken on has ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
