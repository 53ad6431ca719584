// The journals of sessions that are over. Deliveries may be left then, and they are of what was published: the code that
// derives today may make something else of the recording. A journal goes when no delivery needs it any more.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { type LiveMemory, reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimelineWriter } from '#engine/timeline/live-timeline-writer.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { JournalReader } from './journal-reader.ts';

export const JOURNAL_SUFFIX = '.updates';

export interface LiveJournalsParts {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the node of a cluster has in the place of DATA_DIR for its copies of live sessions and their journals. */
export function copiesFolder(dataDir: string): string {
  return join(dataDir, 'cluster');
}

/** The path of a live session's journal. */
export function journalFile(dataDir: string, sessionId: string): string {
  return join(dataDir, 'live', `${sessionId}${JOURNAL_SUFFIX}`);
}

export class LiveJournals {
  readonly #parts: LiveJournalsParts;

  constructor(parts: LiveJournalsParts) {
    this.#parts = parts;
  }

  /**
   * The complete timeline of a session that is over, as it was published. Null without a usable journal. Throws a
   * RecordingError when the file cannot be read.
   */
  open(sessionId: string): LiveMemory | null {
    const { dataDir, clock, log } = this.#parts;
    const file = journalFile(dataDir, sessionId);
    const reader = JournalReader.open(file);
    if (reader === null) return null;
    if ('unusable' in reader) {
      log.warn({ file, reason: reader.unusable }, 'cannot use the journal of a session that is over');
      return null;
    }
    try {
      const { seriesId, startUtcMs } = reader.head;
      const memory = reserveLiveMemory({ sessionId, seriesId }, startUtcMs);
      const writer = new LiveTimelineWriter(memory, serialisePayload);
      const nowMs = clock.nowMs();
      for (const { block } of reader.entries()) if (!writer.restore(block, nowMs)) break;
      writer.seal();
      return { ...memory, restored: writer.length };
    } finally {
      reader.close();
    }
  }

  /** Removes a session's journal, unless its recording is still among the live ones. */
  remove(sessionId: string): void {
    const { dataDir, log } = this.#parts;
    const file = journalFile(dataDir, sessionId);
    if (existsSync(join(dataDir, 'live', `${sessionId}.frames`))) return;
    try {
      rmSync(file, { force: true });
    } catch (error) {
      log.warn({ file, err: error }, 'cannot remove a journal; the next start tries again');
    }
  }

  /** Removes the journals of all sessions that are over, except those that are needed. */
  sweep(isNeeded: (sessionId: string) => boolean): void {
    const folder = join(this.#parts.dataDir, 'live');
    if (!existsSync(folder)) return;
    const names = readdirSync(folder);
    for (const name of names) {
      if (!name.endsWith(JOURNAL_SUFFIX)) continue;
      const sessionId = name.slice(0, -JOURNAL_SUFFIX.length);
      if (!isNeeded(sessionId) && !names.includes(`${sessionId}.over`)) this.remove(sessionId);
    }
  }
}
