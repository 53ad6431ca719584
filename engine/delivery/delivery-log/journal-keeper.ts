// Keeps the journal of the delivery log short: looks at it, and folds it while that is due. A fold that fails is tried again;
// the journal holds what was not folded, and the log reads it from there.

import type { TimerClock } from '#engine/base/clock.ts';
import { LOG_FOLD_BEHIND_MS, LOG_FOLD_LOOK_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { type Fold, isDue, type JournalBacklog } from './postgres-journal-folder.ts';

export interface JournalKeeperParts {
  readonly backlog: () => Promise<JournalBacklog>;
  /** Folds some of it; null if another one has done it meanwhile. */
  readonly fold: () => Promise<Fold | null>;
  /** Whether this node of a cluster folds, for all. Default: it does. */
  readonly isKeeper?: () => boolean;
  readonly clock: TimerClock;
  readonly log: Log;
}

export class JournalKeeper {
  readonly #parts: JournalKeeperParts;
  readonly #stop: () => void;
  #looking: Promise<void> = Promise.resolve();
  #isBehind = false;
  #isFailing = false;
  #closed = false;

  /** Looks at the journal from now on, until it is closed. */
  constructor(parts: JournalKeeperParts) {
    this.#parts = parts;
    this.#stop = parts.clock.every(LOG_FOLD_LOOK_MS, () => {
      this.#looking = this.#look();
      return this.#looking;
    });
  }

  /** Resolves once a fold that is under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    await this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#parts.isKeeper?.() === false) return;
    const { backlog, fold, log } = this.#parts;
    try {
      while (!this.#closed) {
        const present = await backlog();
        this.#report(present);
        if (!isDue(present)) break;
        if ((await fold()) === null) break;
      }
      if (this.#isFailing) log.info({}, 'the journal of the delivery log is folded again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#closed)
        log.error(
          { error: errorText(error) },
          'cannot fold the journal of the delivery log; trying again. The log is read from the journal meanwhile',
        );
      this.#isFailing = true;
    }
  }

  /** Says once that folding is behind, and once that it has caught up. */
  #report({ rows, attempts, ageMs }: JournalBacklog): void {
    const isBehind = ageMs >= LOG_FOLD_BEHIND_MS;
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    const fields = { rows, attempts, seconds: Math.round(ageMs / 1_000) };
    if (isBehind) this.#parts.log.warn(fields, 'folding the journal of the delivery log is behind');
    else this.#parts.log.info(fields, 'folding the journal of the delivery log has caught up');
  }
}
