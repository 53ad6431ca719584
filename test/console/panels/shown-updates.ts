// The updates of real sessions as the theatre hands them to its panels.

import type { ShownUpdate } from '#api/console/app/pages/theatre/show/fold.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

let demo: readonly ShownUpdate[] | null = null;

/** All of the demo race, models included. Shared by the tests of a file. */
export function demoUpdates(): readonly ShownUpdate[] {
  demo ??= shownUpdates(deriveTimeline({ sessionId: DEMO_SESSION_ID, seriesId: 'f1' }, demoSessionFrames()));
  return demo;
}

export function shownUpdates(timeline: Timeline): readonly ShownUpdate[] {
  const decoder = new TextDecoder();
  return Array.from({ length: timeline.length }, (_, position) => {
    const body = timeline.body(position);
    const payload = JSON.parse(decoder.decode(body));
    const { feed, sequence, sessionId, utc } = payload;
    return { feed, sequence, sessionId, atMs: Date.parse(utc), payload, bytes: body.length };
  });
}

/** A short update, for what no recording has. */
export function madeUp(feed: string, payload: Readonly<Record<string, unknown>>, sequence = 1): ShownUpdate {
  return { feed, sequence, sessionId: 'made-up', atMs: sequence * 1_000, payload, bytes: 100 };
}
