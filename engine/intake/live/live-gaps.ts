// Records gaps of live sessions in the database, one after the other, however long it is away.

import type { TimerClock } from '#engine/base/clock.ts';
import { LIVE_GAPS_WAITING_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import type { LiveGap } from './live-gap.ts';

export interface LiveGapStore {
  /** Records a gap once. One that began at the same moment replaces it: it has lasted longer. */
  put(sessionId: string, gap: LiveGap): Promise<void>;
}

export interface LiveGapsParts {
  readonly store: LiveGapStore;
  readonly clock: TimerClock;
  readonly log: Log;
}

export class LiveGaps {
  readonly #parts: LiveGapsParts;
  readonly #closing = new AbortController();
  #waiting = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(parts: LiveGapsParts) {
    this.#parts = parts;
  }

  /** Records a gap that has ended, as soon as that is possible. */
  add(sessionId: string, gap: LiveGap): void {
    const { log } = this.#parts;
    log.info({ sessionId, ...gap }, 'nothing of a live session arrived for a while');
    if (this.#waiting >= LIVE_GAPS_WAITING_MAX) {
      log.error({ sessionId, ...gap }, 'too many gaps of live sessions wait for the database: this one is not counted');
      return;
    }
    this.#waiting++;
    this.#written = this.#written.then(() => this.#write(sessionId, gap)).finally(() => this.#waiting--);
  }

  /** Gives up what the database has not taken. */
  close(): void {
    this.#closing.abort();
  }

  async #write(sessionId: string, gap: LiveGap): Promise<void> {
    const { store, clock, log } = this.#parts;
    const { signal } = this.#closing;
    await untilDone(() => store.put(sessionId, gap), {
      pause: (delayMs) => clock.sleep(delayMs, signal),
      isClosing: () => signal.aborted,
      failed: (error) => log.warn({ sessionId, err: error }, 'could not record a gap of a live session; trying again'),
    }).catch((error: Error) =>
      log.error({ sessionId, ...gap, err: error }, 'could not record a gap of a live session: it is not counted'),
    );
  }
}
