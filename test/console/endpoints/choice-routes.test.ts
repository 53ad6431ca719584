// What the service tells somebody who chooses feeds and filters in the console.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceRoutes } from '#api/console/choice-routes.ts';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { Operation } from '#api/http/operation.ts';
import type { Plan } from '#api/plans/plan.ts';
import { MATCH_RATE_MAX, MATCH_SAMPLES_MAX } from '#engine/base/limits.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { type SmallUpdate, sharedArtifact, smallTimeline } from '#test/support/timelines.ts';

const VER = { number: '1', tla: 'VER', team: 'Red Bull Racing' };
const HAM = { number: '44', tla: 'HAM', team: 'Ferrari' };

const UPDATES: readonly SmallUpdate[] = [
  { dueMs: 0, feed: 'timing.data', roster: [VER, HAM], touched: [{ number: '1', position: 1 }] },
  ...Array.from(
    { length: 9 },
    (_, no): SmallUpdate => ({
      dueMs: no + 1,
      feed: 'timing.data',
      touched: [{ number: '44', position: 2 }],
    }),
  ),
  { dueMs: 10, feed: 'lap.count' },
];

async function routes() {
  const timeline = smallTimeline(UPDATES);
  const artifact = await sharedArtifact(timeline);
  let inUse = 0;
  const clock = new SimulatedTime();
  const { feeds, match } = choiceRoutes({
    catalogue: new FeedCatalogue(feedsOf(['f1'])),
    access: {
      findInSeason: async (sessionId) => {
        if (sessionId === 'unknown') throw new ApiError('not_found');
        return { demo: false } as never;
      },
    },
    library: {
      status: async () => ({ status: 'none' }),
      open: async (sessionId) => {
        if (sessionId === 'unprepared') return null;
        inUse++;
        return { artifact, timeline, origin: '1', release: () => void inUse-- };
      },
    },
    clock,
  });
  const ask = async (body: object, plan: Plan = 'custom') =>
    (await handled(match, { body: { sessionId: 'small-race', ...body }, caller: { accountId: 'acc_1', plan } })).data;
  return { ask, feeds, clock, inUse: () => inUse };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check responses whose type is not certain
async function handled(operation: Operation, request: object): Promise<any> {
  const answer = await operation.handle(request as never);
  assert(answer.kind === 'json');
  return answer.body;
}

test('the filter of the engine counts what an endpoint would get', async () => {
  const { ask, inUse } = await routes();
  const { match, refusal } = await ask({ feedIds: ['timing.data'], filters: { drivers: ['HAM'] } });
  assert.equal(refusal, null);
  assert.deepEqual([match.matches, match.updates], [9, 11]);
  assert.deepEqual(match.drivers, [
    { number: '1', code: 'VER', team: 'Red Bull Racing' },
    { number: '44', code: 'HAM', team: 'Ferrari' },
  ]);
  assert.equal(inUse(), 0);
});

test('a few updates from all over the session are shown', async () => {
  const { ask } = await routes();
  const { match } = await ask({ feedIds: ['*'] });
  assert.equal(match.matches, 11);
  assert.equal(match.samples.length, MATCH_SAMPLES_MAX);
  const sequences = match.samples.map(({ sequence }: { sequence: number }) => sequence);
  assert.deepEqual(sequences, [2, 6, 10]);
  assert.equal(JSON.parse(match.samples[0].body).sequence, 2);
  const few = await ask({ feedIds: ['lap.count'] });
  assert.deepEqual(
    few.match.samples.map(({ feedId }: { feedId: string }) => feedId),
    ['lap.count'],
  );
});

test('filters of single feeds apply as well', async () => {
  const { ask } = await routes();
  const subscriptions = [{ feedId: 'timing.data', filters: { drivers: ['VER'] } }, { feedId: 'lap.count' }];
  assert.equal((await ask({ subscriptions })).match.matches, 2);
});

test('what cannot be answered is said in words, and is no error', async () => {
  const { ask } = await routes();
  const codes = [
    [await ask({ feedIds: ['timing.data'], filters: { drivers: ['V'] } }), 'invalid_filters'],
    [await ask({ feedIds: ['timing.data'] }, 'free'), 'tier_required'],
    [await ask({ feedIds: ['lap.count'], sessionId: 'unknown' }), 'not_found'],
    [await ask({ feedIds: ['lap.count'], sessionId: 'unprepared' }), 'not_prepared'],
  ] as const;
  for (const [{ match, refusal }, code] of codes) assert.deepEqual([match, refusal.code], [null, code]);
});

test('an account may try a bounded number of choices; a refusal then says when it may go on', async () => {
  const { ask, clock } = await routes();
  const { requests, windowMs } = MATCH_RATE_MAX;
  const choice = { feedIds: ['lap.count'] };
  for (let tried = 0; tried < requests; tried++) await ask(choice);
  await assert.rejects(ask(choice), { code: 'rate_limit_exceeded', message: /try again in \d+ seconds/ });
  clock.spend(windowMs);
  assert.equal((await ask(choice)).match.matches, 1);
});

test('every feed is described with when it is sent, how often, and how it is filtered', async () => {
  const { feeds } = await routes();
  const { data } = await handled(feeds, {});
  assert.deepEqual(data.eventTypes, RACE_EVENT_TYPES);
  for (const { feedId, tells, sent } of data.feeds) assert(tells.length > 10 && sent.length > 10, feedId);
  const filtersOf = (id: string) => data.feeds.find(({ feedId }: { feedId: string }) => feedId === id).filters;
  assert.deepEqual(['lap.count', 'timing.data', 'events.race'].map(filtersOf), [
    'none',
    'drivers',
    'drivers and event types',
  ]);
});
