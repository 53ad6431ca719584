// Prepares on this node what any node was asked to prepare, one session after the other.

import { LRUCache } from 'lru-cache';
import type { TimerClock } from '#engine/base/clock.ts';
import { ARTIFACT_CHECKS_CACHED_MAX, PREPARATIONS_LOOK_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { SessionId } from '#engine/intake/recording/session-id.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import type { PlaybackLibrary } from './playback-library.ts';
import type { SharedPreparations } from './shared-preparations.ts';

export interface PreparationsFollowerParts {
  readonly preparations: Pick<SharedPreparations, 'wanted'>;
  readonly library: Pick<PlaybackLibrary, 'prepare' | 'status'>;
  readonly clock: Pick<TimerClock, 'every'>;
  readonly log: Log;
}

export class PreparationsFollower {
  readonly #parts: PreparationsFollowerParts;
  readonly #stop: () => void;
  /** The version of each recording that was prepared here, or could not be: that is not tried again. */
  readonly #done = new LRUCache<SessionId, string>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  #preparing: SessionId | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** Looks from now on, until it is closed. */
  constructor(parts: PreparationsFollowerParts) {
    this.#parts = parts;
    this.#stop = parts.clock.every(PREPARATIONS_LOOK_MS, () => {
      this.#looking = this.#look();
      return this.#looking;
    });
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#prepareNext();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ error: errorText(error) }, 'cannot ask what other nodes have prepared; it is asked again');
      this.#isFailing = true;
    }
  }

  async #prepareNext(): Promise<void> {
    const { preparations, library } = this.#parts;
    if (this.#preparing !== null && (await library.status(this.#preparing)).status === 'preparing') return;
    this.#preparing = null;
    for (const { sessionId, version } of await preparations.wanted()) {
      if (this.#done.get(sessionId) === version) continue;
      const { status } = await library.prepare(sessionId);
      this.#done.set(sessionId, version);
      if (status !== 'preparing') continue;
      this.#preparing = sessionId;
      return;
    }
  }
}
