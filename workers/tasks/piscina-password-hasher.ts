// Hashes passwords on a worker thread of low priority, one at a time. Further ones wait in a bounded queue.

import type { PasswordHasher } from '#api/accounts/password-hasher.ts';
import { ApiError } from '#api/http/api-error.ts';
import { HASHES_WAITING_MAX, TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { PasswordJob } from './hash-password.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaPasswordHasher implements PasswordHasher {
  readonly #waitingMax: number;
  readonly #thread = new PiscinaThread<PasswordJob, string | boolean>(
    new URL('hash-password.ts', import.meta.url),
    'hashPassword',
    TASK_THREAD_IDLE_MS,
  );

  constructor(waitingMax = HASHES_WAITING_MAX) {
    this.#waitingMax = waitingMax;
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
    if (this.#thread.tasks > this.#waitingMax) throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    return this.#thread.run(job);
  }
}
