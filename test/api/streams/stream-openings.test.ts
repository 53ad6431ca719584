// What happens while a stream is being opened: its token is revoked, its plan changes, the service stops, others open theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import type { StreamEndCode } from '#api/http/stream-end.ts';
import { TimelineKeys } from '#api/states/timeline-keys.ts';
import type { GivenPlace } from '#api/streams/stream-place.ts';
import { StreamUsage } from '#api/streams/stream-usage.ts';
import { type StreamFront, Streams, type StreamsParts } from '#api/streams/streams.ts';
import { Allowances } from '#api/usage/allowances.ts';
import { STREAM_RESUME_POLL_MS, STREAM_TOKEN_CHECK_MS, STREAMS_MAX } from '#engine/base/limits.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { silentLog } from '#test/support/database.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const REQUEST = { session: 'live', run: null, feeds: [], filters: {}, after: null, place: '', speed: null };

function setUp() {
  const time = new SimulatedTime();
  const tokens = new Map<string, Caller>();
  /** What the database says about sessions. */
  let looks = 0;
  let look: () => Promise<null> = async () => null;
  let totals: () => Promise<void> = async () => {};
  const allowances = new Allowances(
    {
      async totals() {
        await totals();
        return { plan: 'custom', spendCapCents: 0, attempts: 0, succeeded: 0, failed: 0, skipped: 0 };
      },
      attemptsByMonth: async () => [],
    },
    time,
  );
  const writer = { name: 'streams', epoch: 1 };
  const common = { clock: time, log: silentLog };
  const usage = new StreamUsage({ store: new MemoryRecordStore(), writer, keep: () => 0, allowances, ...common });
  const parts = {
    ...common,
    allowances,
    usage,
    catalogue: new FeedCatalogue(FEEDS),
    live: { published: () => null, following: () => [] },
    sessions: {
      find: () => {
        looks++;
        return look();
      },
    },
    keys: new TimelineKeys(),
    authenticate: (authorization: string) => {
      const caller = tokens.get(authorization);
      if (caller === undefined) throw new ApiError('unauthorized');
      return caller;
    },
  } as unknown as StreamsParts;
  return {
    time,
    tokens,
    allowances,
    streams: new Streams(parts),
    looks: () => looks,
    onLook: (next: () => Promise<null>) => {
      look = next;
    },
    /** Opening a stream waits until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      totals = () => promise;
      return resolve;
    },
  };
}

class Front implements StreamFront {
  ends: StreamEndCode[] = [];
  closed: () => void = () => {};

  open(): void {}
  pace(): void {}
  stop(): void {}
  end(code: StreamEndCode): void {
    this.ends.push(code);
    this.closed();
  }
}

async function opened(stage: ReturnType<typeof setUp>, authorization: string, place = ''): Promise<Front> {
  const front = new Front();
  const caller = stage.tokens.get(authorization)!;
  const stream = await stage.streams.open({ caller, authorization, request: { ...REQUEST, place } }, front);
  front.closed = stream!.closed;
  stream!.begin();
  return front;
}

const caller = (accountId: string, plan: Caller['plan'] = 'custom'): Caller => ({ accountId, plan });

test('SM2: a token that is revoked, or a plan that changes, while the stream is being opened, ends it at once', async () => {
  for (const [change, code] of [
    [(tokens: Map<string, Caller>) => tokens.delete('a'), 'unauthorized'],
    [(tokens: Map<string, Caller>) => tokens.set('a', caller('acc_a', 'free')), 'plan_changed'],
  ] as const) {
    const stage = setUp();
    stage.tokens.set('a', caller('acc_a'));
    const release = stage.hold();
    const opening = opened(stage, 'a');
    await stage.time.pass(10);
    change(stage.tokens);
    stage.streams.accountChanged('acc_a');
    release();
    const front = await opening;
    await stage.time.pass(10);
    assert.deepEqual(front.ends, [code]);
    assert.equal(stage.streams.size, 0);
  }
});

test('a stream that is still opening when the service stops ends with stopping, and no other opens', async () => {
  const stage = setUp();
  stage.tokens.set('a', caller('acc_a'));
  const release = stage.hold();
  const opening = opened(stage, 'a');
  await stage.time.pass(10);
  stage.streams.close();
  release();
  assert.deepEqual((await opening).ends, ['stopping']);
  await assert.rejects(opened(stage, 'a'), { code: 'unavailable' });
  assert.equal(stage.streams.size, 0);
  await stage.time.pass(10_000);
  assert.ok(!stage.allowances.isHeld('acc_a'));
});

test('SM2: a token that expires ends its streams at the next look, and those of others stay', async () => {
  const stage = setUp();
  stage.tokens.set('a', caller('acc_a')).set('b', caller('acc_a'));
  const [one, other] = [await opened(stage, 'a'), await opened(stage, 'b')];
  stage.tokens.delete('a');
  await stage.time.pass(STREAM_TOKEN_CHECK_MS);
  assert.deepEqual([one.ends, other.ends], [['unauthorized'], []]);
  stage.streams.close();
});

test('SM1: the service has as many streams open as STREAMS_MAX, and has room again when one ends', async () => {
  const stage = setUp();
  const fronts: Front[] = [];
  for (let number = 0; number < STREAMS_MAX; number++) {
    const token = `token-${number % 50}`;
    if (number < 50) stage.tokens.set(token, caller(`acc_${number}`));
    fronts.push(await opened(stage, token));
  }
  await assert.rejects(opened(stage, 'token-0'), { code: 'unavailable', message: /Too many streams are open/ });
  fronts[7]!.closed();
  fronts.push(await opened(stage, 'token-0'));
  stage.streams.close();
  assert.equal(stage.streams.size, 0);
  await stage.time.pass(10_000);
  for (let number = 0; number < 50; number++) assert.ok(!stage.allowances.isHeld(`acc_${number}`));
});

test('SM4: streams that wait for the same session ask the database together, also while it is away', async () => {
  const stage = setUp();
  stage.tokens.set('a', caller('acc_a'));
  const place: GivenPlace = { sessionId: 'a-race', sequence: 3, deriverVersion: DERIVER_VERSION };
  const text = `${place.sessionId}:${place.sequence}~${place.deriverVersion}`;
  const fronts: Front[] = [];
  for (let number = 0; number < 20; number++) fronts.push(await opened(stage, 'a', text));
  await stage.time.pass(10 * STREAM_RESUME_POLL_MS);
  assert.ok(stage.looks() >= 9 && stage.looks() <= 21, `${stage.looks()} looks`);
  stage.onLook(async () => {
    throw new Error('the database is away');
  });
  await stage.time.pass(20 * 60_000);
  assert.ok(fronts.every(({ ends }) => ends.length === 0));
  stage.onLook(async () => null);
  await stage.time.pass(STREAM_RESUME_POLL_MS);
  await stage.time.pass(STREAM_RESUME_POLL_MS);
  assert.ok(fronts.every(({ ends }) => ends[0] === 'updates_gone'));
});
