// The outcomes of recorded sessions. Reading one takes a fraction of a second on another thread. It is cached by the version
// of its recording. Concurrent requests for one outcome share one read.

import { LRUCache } from 'lru-cache';
import { OUTCOMES_CACHED_MAX, OUTCOMES_READ_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { RecordingStore } from '#engine/intake/recording/recording-store.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

/** The result of a read: `outcome` is null if the series has none; `damage` says why the recording cannot be read. */
export type ReadOutcome = { readonly outcome: SessionOutcome | null } | { readonly damage: string };

/** Reads outcomes on another thread than the one that serves requests. */
export interface OutcomeReader {
  /** Rejects if the cause may not be the recording. */
  read(recording: string): Promise<ReadOutcome>;
  /** Ends the reader's thread and abandons the current read. */
  close(): Promise<void>;
}

export interface RecordedOutcomesOptions {
  readonly recordings: Pick<RecordingStore, 'find' | 'fetch'>;
  readonly reader: OutcomeReader;
  readonly log: Log;
}

/** `outcome` is null if the recording has none or cannot be read. */
interface CachedOutcome {
  readonly outcome: SessionOutcome | null;
}

const UNREADABLE = 'cannot read the outcome of a recorded session';

export class RecordedOutcomes {
  readonly #options: RecordedOutcomesOptions;
  readonly #cache = new LRUCache<string, CachedOutcome>({ max: OUTCOMES_CACHED_MAX });
  readonly #reading = new Map<string, Promise<CachedOutcome>>();

  constructor(options: RecordedOutcomesOptions) {
    this.#options = options;
  }

  /** Null if no recording has one; `busy` if too many others are being read. */
  async of(sessionId: string): Promise<SessionOutcome | 'busy' | null> {
    const session = parseSessionId(sessionId);
    if (session === null) return null;
    const recording = await this.#options.recordings.find(session);
    if (recording === null) return null;
    const key = `${sessionId}/${recording.version}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached.outcome;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      if (this.#reading.size >= OUTCOMES_READ_MAX) return 'busy';
      reading = this.#read(session, key).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return (await reading).outcome;
  }

  async close(): Promise<void> {
    await this.#options.reader.close();
  }

  async #read(sessionId: SessionId, key: string): Promise<CachedOutcome> {
    const { recordings, reader, log } = this.#options;
    try {
      const read = await reader.read(await recordings.fetch(sessionId));
      if ('damage' in read) log.error({ sessionId, reason: read.damage }, UNREADABLE);
      const outcome = 'damage' in read ? { outcome: null } : read;
      this.#cache.set(key, outcome);
      return outcome;
    } catch (error) {
      // Not cached: the next request reads it again.
      log.error({ sessionId, err: error as Error }, UNREADABLE);
      return { outcome: null };
    }
  }
}
