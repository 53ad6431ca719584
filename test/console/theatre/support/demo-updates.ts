// Every update of the demo race as the theatre gets it.

import { type AnyPayload, shownUpdate } from '#api/console/app/pages/theatre/show/shown-update.ts';
import type { ShownUpdate } from '#api/console/app/pages/theatre/show/updates.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';

let updates: readonly ShownUpdate[] | null = null;

/** Without those of the models, which would take most of the time. Shared by the tests of a process. */
export function demoUpdates(): readonly ShownUpdate[] {
  updates ??= derived();
  return updates;
}

function derived(): readonly ShownUpdate[] {
  const shown: ShownUpdate[] = [];
  const builder = new TimelineBuilder({ sessionId: DEMO_SESSION_ID, seriesId: F1.seriesId }, (feed, payload) => {
    const body = serialisePayload(feed, payload);
    const text = Buffer.from(body).toString();
    shown.push(shownUpdate(feed, JSON.parse(text) as AnyPayload, text.length));
    return body;
  });
  const deriver = new SessionDeriver(builder, { ...F1, analytics: () => null });
  for (const frame of demoSessionFrames()) {
    const problem = deriver.apply(frame);
    if (problem !== null) throw problem;
  }
  return shown;
}
