// Whatever happens to streams: sessions that grow and end, clients that leave at any moment, read slowly and come back
// with their last place. Each gets what matches once, in order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SessionPlace, UpdateStream } from '#engine/delivery/stream/update-stream.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { feedsOf, StreamClient, StreamStage, written } from '#test/support/stream-stage.ts';

const FEEDS = ['timing.data', 'weather.data', 'lap.count'] as const satisfies FeedId[];
const SESSIONS = ['a-race', 'a-sprint', 'a-practice'];

type Step =
  | { readonly kind: 'publish'; readonly session: number; readonly feeds: readonly FeedId[]; readonly told: boolean }
  | { readonly kind: 'cut' | 'stall' | 'read'; readonly client: number }
  | { readonly kind: 'round' }
  | { readonly kind: 'restart' };

const client = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      session: fc.nat(SESSIONS.length - 1),
      feeds: fc.array(fc.constantFrom(...FEEDS), { minLength: 1, maxLength: 30 }),
      told: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'stall' as const, 'read' as const), client }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'round' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** A subscriber over all its connections. */
class Subscriber {
  readonly feeds: readonly FeedId[];
  readonly #stage: StreamStage;
  readonly #memories: ReturnType<typeof written>[];
  readonly got: StreamClient['got'] = [];
  #client = new StreamClient();
  #stream: UpdateStream | null = null;
  #places: readonly SessionPlace[] = [];

  constructor(stage: StreamStage, memories: ReturnType<typeof written>[], feeds: readonly FeedId[]) {
    this.#stage = stage;
    this.#memories = memories;
    this.feeds = feeds;
    this.come();
  }

  come(): void {
    this.#client = new StreamClient();
    const places = this.#places;
    this.#stream = this.#stage.join(this.#client, { feeds: feedsOf(this.feeds), endless: true, awaited: places });
    for (const { memory } of this.#memories) {
      const { sessionId } = memory.head;
      const from = places.find((place) => place.sessionId === sessionId)?.sequence ?? 0;
      this.#stream.open(this.#stage.order(memory, { from }));
    }
  }

  /** What was written to it has arrived, and its connection is gone. */
  leave(): void {
    this.#stage.hub.leave(this.#stream!);
    this.got.push(...this.#client.got);
    this.#places = this.#client.places;
  }

  stall(): void {
    this.#client.reads = false;
  }

  read(): void {
    this.#client.reads = true;
    this.#stream!.drained();
  }
}

test('ST1, ST3: whatever is published, cut, stalled and restarted: every update that matches comes once, in order', () => {
  const subscriptions = fc.array(fc.subarray([...FEEDS], { minLength: 1 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), subscriptions, (steps, feeds) => {
      const stage = new StreamStage();
      const sessions = SESSIONS.map((sessionId) => written(sessionId, 32 * 1_024));
      const published = SESSIONS.map((): FeedId[] => []);
      const subscribers = feeds.map((own) => new Subscriber(stage, sessions, own));
      for (const one of steps) {
        if (one.kind === 'publish') {
          sessions[one.session]!.publish(one.feeds.map((feed) => ({ feed })));
          published[one.session]!.push(...one.feeds);
          if (one.told) stage.changed();
        } else if (one.kind === 'round') {
          stage.round();
        } else if (one.kind === 'restart') {
          for (const subscriber of subscribers) subscriber.leave();
          for (const subscriber of subscribers) subscriber.come();
        } else {
          const subscriber = subscribers[one.client]!;
          if (one.kind === 'stall') subscriber.stall();
          else if (one.kind === 'read') subscriber.read();
          else {
            subscriber.leave();
            subscriber.come();
          }
        }
      }
      for (const subscriber of subscribers) subscriber.read();
      stage.changed();
      stage.settle();
      let sent = 0;
      for (const subscriber of subscribers) {
        subscriber.leave();
        sent += subscriber.got.length;
        SESSIONS.forEach((sessionId, session) => {
          const expected = published[session]!.flatMap((feed, i) => (subscriber.feeds.includes(feed) ? [i + 1] : []));
          const got = subscriber.got.filter((update) => update.sessionId === sessionId);
          assert.deepEqual(
            got.map(({ sequence }) => sequence),
            expected,
          );
        });
      }
      assert.equal(new Allowance(stage.allowance).used(stage.time.wallMs()), sent, 'ST2');
      assert.equal(stage.hub.size, 0);
    }),
    { numRuns: 300 },
  );
});
