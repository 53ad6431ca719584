// A live timeline that a test writes update by update.

import { type LiveMemory, reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimelineWriter } from '#engine/timeline/live-timeline-writer.ts';
import type { TimelineHead } from '#engine/timeline/timeline-builder.ts';
import type { SmallUpdate } from './timelines.ts';

const START_UTC_MS = Date.UTC(2026, 0, 1);

/** Live memory with only `bytes` bytes per column, so that a test can have hundreds. */
export function smallMemory(
  bytes = 64 * 1024,
  head: TimelineHead = { sessionId: 'small-race', seriesId: 'f1' },
  startUtcMs = START_UTC_MS,
): LiveMemory {
  const shared = (): SharedArrayBuffer => new SharedArrayBuffer(bytes);
  const columns = {
    dueMs: shared(),
    feed: shared(),
    eventType: shared(),
    driversLow: shared(),
    driversHigh: shared(),
    touchedStart: shared(),
    touchedDriver: shared(),
    touchedPosition: shared(),
    bodyStart: shared(),
    bodies: shared(),
  };
  const control = new SharedArrayBuffer(16);
  return { head, startUtcMs, control, columns, receivedMs: shared(), rosters: shared() };
}

export const serialiseAsIs = (_feed: string, payload: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(payload);

export class WrittenTimeline {
  readonly memory: LiveMemory;
  readonly writer: LiveTimelineWriter;

  /** Writes to the given memory, which readers may already use, or to new memory. */
  constructor(memory: LiveMemory = reserveLiveMemory({ sessionId: 'small-race', seriesId: 'f1' }, START_UTC_MS)) {
    this.memory = memory;
    this.writer = new LiveTimelineWriter(memory, serialiseAsIs);
  }

  append(...updates: readonly Partial<SmallUpdate>[]): this {
    const { builder } = this.writer;
    for (const { dueMs = builder.length, feed = 'timing.data', eventType, touched = [], roster } of updates) {
      if (roster !== undefined) builder.roster(roster);
      const utcMs = START_UTC_MS + dueMs;
      builder.append({ feed, utcMs, lap: null, eventType: eventType ?? null, touched, content: {} });
    }
    return this;
  }

  /** Appends updates, or a number of `timing.data` updates, and publishes them. */
  publish(updates: number | readonly Partial<SmallUpdate>[], receivedMs = 0): this {
    this.append(...(typeof updates === 'number' ? Array.from({ length: updates }, () => ({})) : updates));
    this.writer.publish(receivedMs);
    return this;
  }

  seal(): void {
    this.writer.seal();
  }
}
