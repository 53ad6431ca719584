// What streams of one timeline share: filters, and what they send in one turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STREAM_SHARES_MAX } from '#engine/base/limits.ts';
import { StreamTimeline } from '#engine/delivery/stream/stream-timeline.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { feedsOf, StreamClient, StreamStage, written } from '#test/support/stream-stage.ts';

const [TIMING, WEATHER] = [feedNumber('timing.data')!, feedNumber('weather.data')!];

/** What a client was sent, as it was written. */
class Taker extends StreamClient {
  readonly taken: Uint8Array[] = [];

  override send(updates: Uint8Array): boolean {
    this.taken.push(updates);
    return super.send(updates);
  }
}

test('TS1: streams with equal feeds send the same bytes, joined once; another has its own', () => {
  const stage = new StreamStage();
  const race = written().publish([{}, { feed: 'weather.data' }, {}]);
  const [timing, alike, weather] = [new Taker(), new Taker(), new Taker()];
  stage.join(timing, { feeds: feedsOf(['timing.data']) }).open(stage.order(race.memory));
  stage.join(weather, { feeds: feedsOf(['weather.data']) }).open(stage.order(race.memory));
  stage.join(alike, { feeds: feedsOf(['timing.data']) }).open(stage.order(race.memory));
  stage.settle();
  assert.deepEqual([timing.sequences(), weather.sequences(), alike.sequences()], [[1, 3], [2], [1, 3]]);
  assert.equal(timing.taken.length, 1);
  assert.equal(timing.taken[0], alike.taken[0], 'the same bytes');
  assert.equal(stage.encoded, 3);
});

test('TS1: a filter is shared by lanes with equal feeds, as long as one of them has it', () => {
  const timeline = new StreamTimeline(written().memory, () => new Uint8Array());
  const filter = timeline.holdFilter(feedsOf(['timing.data']));
  assert.equal(timeline.holdFilter(feedsOf(['timing.data'])), filter);
  assert.notEqual(timeline.holdFilter(feedsOf(['weather.data'])), filter);
  timeline.giveFilterBack(feedsOf(['timing.data']));
  assert.equal(timeline.holdFilter(feedsOf(['timing.data'])), filter);
  timeline.giveFilterBack(feedsOf(['timing.data']));
  timeline.giveFilterBack(feedsOf(['timing.data']));
  assert.notEqual(timeline.holdFilter(feedsOf(['timing.data'])), filter);
});

test('TS2: a share counts its updates by feed; a few are kept, and one that is gone is made again', () => {
  let encoded = 0;
  const race = written().publish([{}, { feed: 'weather.data' }, {}, { feed: 'lap.count' }]);
  const timeline = new StreamTimeline(race.memory, () => {
    encoded++;
    return Uint8Array.of(encoded);
  });
  const length = timeline.refreshed();
  const filter = timeline.holdFilter(feedsOf(['timing.data', 'weather.data']));
  const share = timeline.share(filter, 0, length);
  assert.deepEqual([...share.bytes], [1, 2, 3]);
  assert.deepEqual(share.feeds, [TIMING, 2, WEATHER, 1]);
  assert.deepEqual([share.updates, share.until], [3, 4]);
  assert.equal(timeline.share(filter, 0, length), share);
  for (let other = 0; other < STREAM_SHARES_MAX; other++)
    timeline.share(timeline.holdFilter(feedsOf(['timing.data'])), other % 4, length - Math.floor(other / 4));
  const again = timeline.share(filter, 0, length);
  assert.notEqual(again, share);
  assert.deepEqual(again, share);
  assert.equal(encoded, 3);
});
