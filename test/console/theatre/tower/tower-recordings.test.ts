// The timing tower over real sessions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownUpdate } from '#api/console/app/pages/theatre/show/shown-update.ts';
import { Stage } from '#api/console/app/pages/theatre/show/stage.ts';
import { statusOf, TowerFold } from '#api/console/app/pages/theatre/tower/tower-fold.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { framesOf, timelineOf } from '#test/racing/real-sessions.ts';
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

test('2025-mexico-qualifying: at its end five are out of each part, gaps are those of the best times, also after a move', {
  skip: WITHOUT_RECORDINGS,
}, () => {
  const fold = new TowerFold();
  const stage = new Stage('qualifying', [fold], { value: 0 }, () => {});
  const timeline = timelineOf('2025-mexico-qualifying');
  const feeds = ['timing.data', 'timing.app-data', 'timing.driver-info', 'tire.current', 'tire.stints'] as const;
  const states = new FoldedStates();
  const moveTo = (share: number): void => {
    const at = Math.round(share * timeline.length);
    let texts: string[] | null = null;
    while (texts === null) texts = states.at('qualifying', timeline, at, feeds);
    stage.rewind(0);
    stage.takeStates(texts.map((text) => JSON.parse(text)));
  };
  const drawn = new Map<string, number>();
  for (const share of [0.1, 0.3, 0.5, 0.5, 0.7, 0.2, 1]) {
    moveTo(share);
    for (const { number, version } of fold.order) {
      assert.notEqual(drawn.get(number), version, `driver ${number} is drawn again`);
      drawn.set(number, version);
    }
  }
  const out = fold.order.filter((driver) => statusOf(driver) === 'knockedOut');
  assert.deepEqual(
    out.map(({ tla }) => tla),
    ['TSU', 'OCO', 'HUL', 'ALO', 'LAW', 'BOR', 'ALB', 'GAS', 'STR', 'COL'],
  );
  const [first, ...others] = fold.order.slice(0, 10);
  assert.deepEqual([first!.gap, first!.interval], [null, null]);
  for (const { gapSeconds, bestLap } of others)
    assert.equal(Math.round(gapSeconds! * 1_000), bestLap!.ms! - first!.bestLap!.ms!);
  for (const { gap, interval } of out) for (const shown of [gap, interval]) assert.match(shown ?? '', GAP);
});
