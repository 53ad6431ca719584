// The timing tower over real races.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownUpdate } from '#api/console/app/pages/theatre/show/shown-update.ts';
import { TowerFold } from '#api/console/app/pages/theatre/tower/tower-fold.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { framesOf } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

/** Seconds, minutes and seconds, or laps. */
const GAP = /^\+?(?:\d+:)?\d+\.\d+$|^\+?\d+ ?L$/;
const COMPOUND = /^(?:(?:HYPER|ULTRA|SUPER)?SOFT|MEDIUM|HARD|INTERMEDIATE|WET|UNKNOWN)$/;

for (const session of ['2018-azerbaijan-race', '2025-miami-sprint']) {
  test(`${session}: a position has one driver, gaps are gaps, and tires have names`, {
    skip: WITHOUT_RECORDINGS,
  }, () => {
    const fold = new TowerFold();
    const builder = new TimelineBuilder({ sessionId: session, seriesId: F1.seriesId }, (feed, payload) => {
      const body = serialisePayload(feed, payload);
      if (!/^(?:timing|tire)\./.test(feed)) return body;
      const text = Buffer.from(body).toString();
      fold.take(shownUpdate(feed, JSON.parse(text), text.length));
      const known = fold.order.map(({ position }) => position).filter((position) => position !== null);
      assert.equal(new Set(known).size, known.length, text);
      for (const { gap, interval, compound } of fold.order) {
        for (const shown of [gap, interval]) if (shown) assert.match(shown, GAP);
        if (compound !== null) assert.match(compound, COMPOUND);
      }
      return body;
    });
    const deriver = new SessionDeriver(builder, { ...F1, analytics: () => null });
    for (const frame of framesOf(session)) assert.equal(deriver.apply(frame), null);
    assert.equal(fold.order.length, 20);
  });
}
