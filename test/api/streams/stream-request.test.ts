// What a stream is asked for: parameters that belong together, feeds and filters.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { chosenFeeds, type StreamRequest, startOf, subjectOf } from '#api/streams/stream-request.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const NOTHING: StreamRequest = {
  session: null,
  run: null,
  feeds: [],
  filters: {},
  after: null,
  place: '',
  speed: null,
};
const request = (given: Partial<StreamRequest>): StreamRequest => ({ ...NOTHING, ...given });
const catalogue = new FeedCatalogue(FEEDS);

test('exactly one of session and run is streamed', () => {
  assert.deepEqual(subjectOf(request({ session: 'live' })), { kind: 'live' });
  assert.deepEqual(subjectOf(request({ session: 'a-race', speed: 2 })), {
    kind: 'session',
    sessionId: 'a-race',
    speed: 2,
  });
  assert.deepEqual(subjectOf(request({ run: 'run_1' })), { kind: 'run', runId: 'run_1' });
  for (const given of [
    {},
    { session: 'live', run: 'run_1' },
    { run: 'run_1', speed: 2 },
    { session: 'live', speed: 2 },
    { session: 'live', after: 0 },
  ]) {
    assert.throws(() => subjectOf(request(given)), { code: 'invalid_query' }, JSON.stringify(given));
  }
});

test('what the client has seen counts before the sequence that it asked for at first', () => {
  assert.deepEqual(startOf(request({})), { kind: 'default' });
  assert.deepEqual(startOf(request({ after: 0 })), { kind: 'after', sequence: 0 });
  assert.deepEqual(startOf(request({ after: 0, place: `a-race:9~${DERIVER_VERSION}` })), {
    kind: 'resume',
    places: [{ sessionId: 'a-race', sequence: 9, deriverVersion: DERIVER_VERSION }],
  });
  assert.deepEqual(startOf(request({ after: 0, place: 'end' })), { kind: 'over' });
});

test('without feeds a stream carries all that the plan opens; a feed of a higher plan is refused', () => {
  const of = (plan: 'free' | 'developer' | 'custom') => chosenFeeds(request({}), plan, catalogue).feedIds;
  assert.ok(of('free').length < of('developer').length && of('developer').length < of('custom').length);
  assert.deepEqual(chosenFeeds(request({ feeds: ['lap.count'] }), 'free', catalogue).feedIds, ['lap.count']);
  for (const [feed, code] of [
    ['timing.data', 'tier_required'],
    ['analytics.strategy', 'insufficient_tier'],
    ['timing.dat', 'invalid_query'],
    ['', 'invalid_query'],
  ] as const) {
    assert.throws(() => chosenFeeds(request({ feeds: [feed] }), 'free', catalogue), { code }, feed);
  }
});

test('filters are those of a webhook', () => {
  const { feeds } = chosenFeeds(
    request({ filters: { drivers: ['ver'], positions: { min: 1, max: 3 } } }),
    'custom',
    catalogue,
  );
  assert.deepEqual(feeds.filters.positions, { min: 1, max: 3 });
  for (const filters of [
    { drivers: ['Verstappen'] },
    { positions: { min: 5, max: 3 } },
    { eventTypes: ['nonsense'] },
  ]) {
    assert.throws(() => chosenFeeds(request({ filters }), 'custom', catalogue), { code: 'invalid_filters' });
  }
});
