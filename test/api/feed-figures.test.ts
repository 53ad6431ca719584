// The figures on the pages of the feeds. WRITE_FIGURES=1 measures them anew, after a change of what is derived.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { type FeedFigures, type RaceFigures, raceFigures } from '#api/docs/portal/feed-figures.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const FILE = new URL('../../api/docs/portal/feed-figures.json', import.meta.url);

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >>> 1]!;
}

function measured(): RaceFigures {
  const frames = demoSessionFrames();
  const timeline = deriveTimeline({ sessionId: 'demo-race', seriesId: 'f1' }, frames);
  const byFeed = new Map<string, { bytes: number[]; atMs: number[] }>();
  for (let position = 0; position < timeline.length; position++) {
    const body = timeline.body(position);
    const kept = byFeed.get(timeline.feedId(position)) ?? { bytes: [], atMs: [] };
    kept.bytes.push(body.length);
    kept.atMs.push(Date.parse(JSON.parse(Buffer.from(body).toString()).utc));
    byFeed.set(timeline.feedId(position), kept);
  }
  const feeds = FEEDS.flatMap(({ feedId }): FeedFigures[] => {
    const kept = byFeed.get(feedId);
    if (kept === undefined) return [];
    const { bytes, atMs } = kept;
    const pauses = atMs.slice(1).map((ms, index) => ms - atMs[index]!);
    const medianPauseS = pauses.length === 0 ? null : Math.round(middle(pauses) / 100) / 10;
    return [
      { feedId, updates: bytes.length, medianPauseS, medianBytes: middle(bytes), largestBytes: Math.max(...bytes) },
    ];
  });
  const minutes = Math.round((frames.at(-1)!.utcMs - frames[0]!.utcMs) / 6_000) / 10;
  return { minutes, updates: timeline.length, feeds };
}

test('the figures on the pages of the feeds are those of the demo race', () => {
  const now = measured();
  if (process.env.WRITE_FIGURES === '1') writeFileSync(FILE, `${JSON.stringify(now, null, 2)}\n`);
  assert.deepEqual(
    raceFigures(),
    now,
    'run WRITE_FIGURES=1 node --test test/api/feed-figures.test.ts if the change is wanted',
  );
});
