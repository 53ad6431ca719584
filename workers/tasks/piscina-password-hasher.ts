// Hashes passwords on a worker thread of low priority, one at a time. Further ones wait in a bounded queue, in which networks
// take turns. While some wait, hashes get a share of the thread's time: after each the thread rests. A low priority yields
// the core to others, but not its caches: a hash fills them with its memory, and whatever runs next finds them empty.
//
// What nobody awaits any more when its turn comes is not computed, and takes no place of others in the queue: a flood of
// clients that leave at once would otherwise keep everybody from signing in.

import type { HashAsker, PasswordHasher } from '#api/accounts/password-hasher.ts';
import { busy } from '#api/http/common-refusals.ts';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import { HASH_REST_MS_MAX, HASH_TIME_SHARE_MAX, TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { PasswordJob } from './hash-password.ts';
import { HashQueue, type Waiting } from './hash-queue.ts';
import { PiscinaThread } from './piscina-thread.ts';

type Result = string | boolean;

/** What one request wants: it has one turn for all of it. */
interface Wanted extends Waiting {
  readonly jobs: readonly PasswordJob[];
  readonly resolve: (results: readonly Result[]) => void;
}

export class PiscinaPasswordHasher implements PasswordHasher {
  readonly #clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  readonly #queue: HashQueue<Wanted>;
  #isAtWork = false;
  readonly #thread = new PiscinaThread<PasswordJob, Result>(
    new URL('hash-password.ts', import.meta.url),
    'hashPassword',
    TASK_THREAD_IDLE_MS,
  );

  constructor(waitingMax?: number, clock: Pick<TimerClock, 'nowMs' | 'schedule'> = systemClock) {
    this.#queue = new HashQueue(waitingMax);
    this.#clock = clock;
  }

  async hash(password: string, asker: HashAsker): Promise<string> {
    const [hash] = await this.#run([{ password }], asker);
    return hash as string;
  }

  verify(hashes: readonly (string | null)[], password: string, asker: HashAsker): Promise<readonly boolean[]> {
    const jobs = hashes.map((passwordHash) => ({ password, passwordHash }));
    return this.#run(jobs, asker) as Promise<readonly boolean[]>;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #run(jobs: readonly PasswordJob[], asker: HashAsker): Promise<readonly Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Result[]>();
    this.#queue.add({ jobs, asker, resolve, reject });
    if (!this.#isAtWork) void this.#work();
    return promise;
  }

  /** Until none waits. Never rejects. */
  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) {
      await this.#compute(next).catch(next.reject);
    }
    this.#isAtWork = false;
  }

  async #compute({ jobs, asker, resolve }: Wanted): Promise<void> {
    const results: Result[] = [];
    for (const job of jobs) {
      if (!asker.isAwaited()) throw busy();
      const beganMs = this.#clock.nowMs();
      results.push(await this.#thread.run(job));
      const tookMs = this.#clock.nowMs() - beganMs;
      if (results.length === jobs.length) resolve(results);
      if (!this.#queue.isEmpty) await this.#rest(tookMs);
    }
  }

  #rest(afterMs: number): Promise<void> {
    const restMs = Math.min(afterMs * (1 / HASH_TIME_SHARE_MAX - 1), HASH_REST_MS_MAX);
    return new Promise((rested) => this.#clock.schedule(restMs, rested));
  }
}
