// Timelines of a given length and body size, for benches that measure delivery and need no real race.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '#engine/base/assert.ts';
import { readArtifact, writeArtifact } from '#engine/timeline/artifact.ts';
import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';

const START_UTC_MS = Date.UTC(2026, 0, 1);

export interface SyntheticArtifact extends SharedArtifact {
  readonly updates: number;
}

/** An artifact as shards read it: `updates` of `timing.data`, one every `everyMs`, each body about `bodyBytes` long. */
export async function syntheticArtifact(
  updates: number,
  everyMs: number,
  bodyBytes: number,
): Promise<SyntheticArtifact> {
  const builder = new TimelineBuilder({ sessionId: 'synthetic', seriesId: 'f1' }, (_feed, payload) =>
    JSON.stringify(payload),
  );
  builder.start(START_UTC_MS);
  const padding = 'x'.repeat(Math.max(0, bodyBytes - 140));
  for (let index = 0; index < updates; index++) {
    builder.append({
      feed: 'timing.data',
      utcMs: START_UTC_MS + index * everyMs,
      lap: null,
      eventType: null,
      touched: [],
      content: { drivers: [padding] },
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  try {
    const origin = { recording: { crc: 0, bytes: 0 }, deriverVersion: 0 };
    writeArtifact(join(folder, 'artifact'), builder.build(updates, START_UTC_MS + updates * everyMs), origin);
    const read = await readArtifact(join(folder, 'artifact'), origin);
    assert(!('damaged' in read), 'a fresh artifact is not damaged');
    return { bytes: read.bytes, updates };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
