// Small timelines for tests of delivery.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '#engine/base/assert.ts';
import { readArtifact, writeArtifact } from '#engine/timeline/artifact.ts';
import type { RosterDriver } from '#engine/timeline/roster.ts';
import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import type { TouchedDriver } from '#engine/timeline/update.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';

export interface SmallUpdate {
  readonly dueMs: number;
  readonly feed?: FeedId;
  readonly eventType?: RaceEventType;
  readonly touched?: readonly TouchedDriver[];
  readonly lap?: number;
  /** Drivers known from this update on. */
  readonly roster?: readonly RosterDriver[];
}

const START_UTC_MS = Date.UTC(2026, 0, 1);

export function smallTimeline(updates: readonly SmallUpdate[], sessionId = 'small-race'): Timeline {
  const builder = new TimelineBuilder({ sessionId, seriesId: 'f1' }, (_feed, payload) => JSON.stringify(payload));
  builder.start(START_UTC_MS);
  for (const update of updates) {
    if (update.roster !== undefined) builder.roster(update.roster);
    builder.append({
      feed: update.feed ?? 'timing.data',
      utcMs: START_UTC_MS + update.dueMs,
      lap: update.lap ?? null,
      eventType: update.eventType ?? null,
      touched: update.touched ?? [],
      content: {},
    });
  }
  return builder.build(updates.length, START_UTC_MS + (updates.at(-1)?.dueMs ?? 0));
}

/** A timeline of `count` updates of one feed, `everyMs` apart. */
export function steadyTimeline(
  count: number,
  everyMs: number,
  feed: FeedId = 'timing.data',
  sessionId?: string,
): Timeline {
  const updates = Array.from({ length: count }, (_, index) => ({ dueMs: index * everyMs, feed }));
  return smallTimeline(updates, sessionId);
}

/** The timeline as shards get it: through an artifact file, in shared memory. */
export async function sharedArtifact(timeline: Timeline): Promise<SharedArtifact> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-artifact-'));
  try {
    const origin = { recording: { crc: 0, bytes: 0 }, deriverVersion: 1 };
    writeArtifact(join(folder, 'artifact'), timeline, origin);
    const read = await readArtifact(join(folder, 'artifact'), origin);
    assert(!('damaged' in read), 'a fresh artifact is intact');
    return { bytes: read.bytes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
