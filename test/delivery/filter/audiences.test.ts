// Actors by what they get: each update is matched once for all that get the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Audiences, feedsKey } from '#engine/delivery/filter/audiences.ts';
import { CompiledFilter, type FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { smallTimeline, steadyTimeline } from '#test/support/timelines.ts';

const SCOPE = { allFeeds: false };
const FEED_IDS = ['timing.data', 'lap.count', 'weather.data', 'events.race'] as const;

const fed = (feedIds: readonly FeedId[], filters: FilterSpec = {}): FilteredFeeds => ({
  filters,
  subscriptions: feedIds.map((feedId) => ({ feedId, filters: {}, active: true })),
});

test('AU1: only actors that get an update are to take a turn', () => {
  const timeline = smallTimeline(FEED_IDS.map((feed, dueMs) => ({ dueMs, feed })));
  const audiences = new Audiences<string>(SCOPE, timeline);
  audiences.join('laps', fed(['lap.count']));
  audiences.join('laps too', fed(['lap.count']));
  audiences.join('weather', fed(['weather.data', 'events.race']));
  const turns = [1, 2, 3, 4].map((due) => {
    const ready: string[] = [];
    audiences.fallDue(due, (actor) => ready.push(actor));
    return ready;
  });
  assert.deepEqual(turns, [[], ['laps', 'laps too'], ['weather'], ['weather']]);
});

test('AU2: at whatever moments actors come, leave and take their turns, each looks at every update that it gets, once', () => {
  const feeds = fc.subarray([...FEED_IDS]);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('due' as const), count: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ kind: fc.constant('turn' as const), actor: fc.nat(3), most: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('joins' as const), actor: fc.nat(3), feeds }),
  );
  const updates = fc.array(fc.constantFrom(...FEED_IDS), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(updates, fc.array(step, { maxLength: 80 }), (fedUpdates, steps) => {
      const timeline = smallTimeline(fedUpdates.map((feed, dueMs) => ({ dueMs, feed })));
      const audiences = new Audiences<number>(SCOPE, timeline);
      let due = 0;
      const actors = [0, 1, 2, 3].map((actor) => ({
        feeds: fed([]),
        audience: audiences.join(actor, fed([])),
        next: 0,
        got: [] as number[],
        expected: [] as number[],
        passed: 0,
      }));
      const pass = (actor: (typeof actors)[number], until: number): void => {
        const filter = new CompiledFilter(actor.feeds, SCOPE, timeline);
        for (; actor.passed < until; actor.passed++)
          if (filter.matches(actor.passed)) actor.expected.push(actor.passed);
      };
      const turn = (actor: (typeof actors)[number], most: number): void => {
        const until = actor.got.length + most;
        for (
          actor.next = actor.audience.nextFrom(actor.next);
          actor.next < due && actor.got.length < until;
          actor.next++
        )
          if (actor.audience.filter.matches(actor.next)) actor.got.push(actor.next);
      };
      for (const one of steps) {
        if (one.kind === 'due') {
          due = Math.min(timeline.length, due + one.count);
          audiences.fallDue(due, () => {});
          continue;
        }
        const actor = actors[one.actor]!;
        if (one.kind === 'turn') {
          turn(actor, one.most);
          continue;
        }
        actor.next = actor.audience.nextFrom(actor.next);
        pass(actor, actor.next);
        audiences.leave(one.actor, actor.audience);
        actor.feeds = fed(one.feeds);
        actor.audience = audiences.join(one.actor, actor.feeds);
      }
      for (const actor of actors) {
        turn(actor, Number.POSITIVE_INFINITY);
        pass(actor, due);
        assert.deepEqual(actor.got, actor.expected);
      }
    }),
    { numRuns: 500 },
  );
});

test('a filter that throws gives its own actors a turn, in which it throws again, and no other an unneeded one', () => {
  const audiences = new Audiences<string>(SCOPE, steadyTimeline(3, 1));
  const broken = audiences.join('broken', fed(['timing.data'], { drivers: 7 as never }));
  audiences.join('idle', fed(['lap.count']));
  const ready: string[] = [];
  audiences.fallDue(2, (actor) => ready.push(actor));
  assert.deepEqual(ready, ['broken']);
  assert.equal(broken.nextFrom(0), 0, 'it skips nothing');
  assert.throws(() => broken.filter.matches(0), TypeError);
});

test('feeds have one key whatever is not in force, and another for every other filter', () => {
  const two = fed(['timing.data', 'lap.count']);
  const inactive = { feedId: 'weather.data', filters: {}, active: false } as const;
  assert.equal(feedsKey({ ...two, subscriptions: [...two.subscriptions, inactive] }), feedsKey(two));
  const keys = [
    two,
    fed(['timing.data']),
    fed([]),
    fed(['timing.data', 'lap.count'], { drivers: ['VER'] }),
    { ...two, subscriptions: two.subscriptions.map((one) => ({ ...one, filters: { drivers: ['VER'] } })) },
  ].map(feedsKey);
  assert.equal(new Set(keys).size, keys.length);
});
