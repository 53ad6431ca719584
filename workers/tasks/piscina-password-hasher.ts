// Hashes passwords on a worker thread of low priority, one at a time. Further ones wait in a bounded queue; while some wait,
// the thread rests after each for as long as that took. A low priority yields the core to others, but not its caches: a
// hash fills them with its memory, and whatever runs next finds them empty.

import type { PasswordHasher } from '#api/accounts/password-hasher.ts';
import { ApiError } from '#api/http/api-error.ts';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { HASH_REST_MS_MAX, HASHES_WAITING_MAX, TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { PasswordJob } from './hash-password.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaPasswordHasher implements PasswordHasher {
  readonly #waitingMax: number;
  readonly #turns: KeyedMutex;
  /** The present one and those that wait. */
  #hashes = 0;
  readonly #thread = new PiscinaThread<PasswordJob, string | boolean>(
    new URL('hash-password.ts', import.meta.url),
    'hashPassword',
    TASK_THREAD_IDLE_MS,
  );

  constructor(waitingMax = HASHES_WAITING_MAX, clock: Pick<TimerClock, 'nowMs' | 'schedule'> = systemClock) {
    this.#waitingMax = waitingMax;
    this.#turns = new KeyedMutex({ clock, msMax: HASH_REST_MS_MAX });
  }

  hash(password: string): Promise<string> {
    return this.#run({ password }) as Promise<string>;
  }

  verify(passwordHash: string | null, password: string): Promise<boolean> {
    return this.#run({ password, passwordHash }) as Promise<boolean>;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #run(job: PasswordJob): Promise<string | boolean> {
    if (this.#hashes > this.#waitingMax) throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    this.#hashes++;
    try {
      return await this.#turns.run('', () => this.#thread.run(job));
    } finally {
      this.#hashes--;
    }
  }
}
