// Hashes passwords on a worker thread of low priority, one at a time. Further ones wait in a bounded queue; while some wait,
// the thread rests after each for as long as that took. A low priority yields the core to others, but not its caches: a
// hash fills them with its memory, and whatever runs next finds them empty.
//
// What nobody awaits any more when its turn comes is not computed, and takes no place of others in the queue: a flood of
// clients that leave at once would otherwise keep everybody from signing in.

import type { PasswordHasher } from '#api/accounts/password-hasher.ts';
import { busy } from '#api/http/common-refusals.ts';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import { HASH_REST_MS_MAX, HASHES_WAITING_MAX, TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { PasswordJob } from './hash-password.ts';
import { PiscinaThread } from './piscina-thread.ts';

interface Waiting {
  readonly job: PasswordJob;
  readonly isAwaited: () => boolean;
  readonly resolve: (result: string | boolean | Promise<string | boolean>) => void;
  readonly reject: (error: Error) => void;
}

export class PiscinaPasswordHasher implements PasswordHasher {
  readonly #waitingMax: number;
  readonly #clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  /** The oldest first. */
  #waiting: Waiting[] = [];
  #isAtWork = false;
  readonly #thread = new PiscinaThread<PasswordJob, string | boolean>(
    new URL('hash-password.ts', import.meta.url),
    'hashPassword',
    TASK_THREAD_IDLE_MS,
  );

  constructor(waitingMax = HASHES_WAITING_MAX, clock: Pick<TimerClock, 'nowMs' | 'schedule'> = systemClock) {
    this.#waitingMax = waitingMax;
    this.#clock = clock;
  }

  hash(password: string, isAwaited: () => boolean): Promise<string> {
    return this.#run({ password }, isAwaited) as Promise<string>;
  }

  verify(passwordHash: string | null, password: string, isAwaited: () => boolean): Promise<boolean> {
    return this.#run({ password, passwordHash }, isAwaited) as Promise<boolean>;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #run(job: PasswordJob, isAwaited: () => boolean): Promise<string | boolean> {
    if (this.#waiting.length >= this.#waitingMax) this.#dropAbandoned();
    if (this.#waiting.length >= this.#waitingMax) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<string | boolean>();
    this.#waiting.push({ job, isAwaited, resolve, reject });
    if (!this.#isAtWork) void this.#work();
    return await promise;
  }

  /** Until none waits. Never rejects. */
  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.isAwaited()) {
        next.reject(busy());
        continue;
      }
      const beganMs = this.#clock.nowMs();
      const result = this.#thread.run(next.job);
      next.resolve(result);
      await result.catch(() => {});
      if (this.#waiting.length > 0) {
        const restMs = Math.min(this.#clock.nowMs() - beganMs, HASH_REST_MS_MAX);
        await new Promise<void>((rested) => this.#clock.schedule(restMs, rested));
      }
    }
    this.#isAtWork = false;
  }

  #dropAbandoned(): void {
    for (const { isAwaited, reject } of this.#waiting) if (!isAwaited()) reject(busy());
    this.#waiting = this.#waiting.filter(({ isAwaited }) => isAwaited());
  }
}
