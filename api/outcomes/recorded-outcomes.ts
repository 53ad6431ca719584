// The outcomes of the sessions that are recorded on this machine. Reading one takes a fraction of a second, on another thread;
// it is remembered by the file's size, inode and time of change, and read once, however many ask for it meanwhile.

import { LRUCache } from 'lru-cache';
import { fileIdentity } from '#engine/base/file-identity.ts';
import { OUTCOMES_CACHED_MAX, OUTCOMES_READ_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

/** What a recording tells: `outcome` is null when its series tells none; `damage` says why it cannot be read. */
export type ReadOutcome = { readonly outcome: SessionOutcome | null } | { readonly damage: string };

/** Reads outcomes away from the thread that serves requests. */
export interface OutcomeReader {
  /** Rejects when the trouble may not be the recording's. */
  read(recording: string): Promise<ReadOutcome>;
  /** Ends the reader's thread; what it is reading is given up. */
  close(): Promise<void>;
}

export interface RecordedOutcomesOptions {
  readonly dataDir: string;
  readonly reader: OutcomeReader;
  readonly log: Log;
}

/** What is known of a recording: `outcome` is null when it tells none or cannot be read. */
interface Known {
  readonly outcome: SessionOutcome | null;
}

const UNREADABLE = 'the outcome of a recorded session cannot be read';

export class RecordedOutcomes {
  readonly #options: RecordedOutcomesOptions;
  readonly #known = new LRUCache<string, Known>({ max: OUTCOMES_CACHED_MAX });
  readonly #reading = new Map<string, Promise<Known>>();

  constructor(options: RecordedOutcomesOptions) {
    this.#options = options;
  }

  /** Null without a recording that tells one; `busy` when too many others are being read. */
  async of(sessionId: string): Promise<SessionOutcome | 'busy' | null> {
    const session = parseSessionId(sessionId);
    if (session === null) return null;
    const file = recordingFile(this.#options.dataDir, session);
    const identity = await fileIdentity(file);
    if (identity === null) return null;
    const key = `${sessionId}/${identity}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known.outcome;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      if (this.#reading.size >= OUTCOMES_READ_MAX) return 'busy';
      reading = this.#read(file, key).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return (await reading).outcome;
  }

  async close(): Promise<void> {
    await this.#options.reader.close();
  }

  async #read(file: string, key: string): Promise<Known> {
    const { reader, log } = this.#options;
    try {
      const read = await reader.read(file);
      if ('damage' in read) log.error({ file, reason: read.damage }, UNREADABLE);
      const known = 'damage' in read ? { outcome: null } : read;
      this.#known.set(key, known);
      return known;
    } catch (error) {
      // Whoever asks next has it read again.
      log.error({ file, err: error as Error }, UNREADABLE);
      return { outcome: null };
    }
  }
}
