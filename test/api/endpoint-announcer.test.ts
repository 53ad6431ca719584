// What a change costs that concerns many endpoints of an account: how many are read at a time, and how many are sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { TERMS } from '#api/plans/plan.ts';
import { EndpointAnnouncer } from '#api/webhooks/endpoint-announcer.ts';
import { WebhookListCache } from '#api/webhooks/webhook-list-cache.ts';
import type { WebhookRecord, WebhookStore } from '#api/webhooks/webhook-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ANNOUNCED_AT_ONCE_MAX, CHANGE_REST_MS_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { RecordedControl } from '#test/support/api-harness.ts';

const NOW = new Date('2026-03-08T04:00:00Z');
const secretBox = new SecretBox('a secret key for tests', systemRandomBytes);

/** An account on the Free plan with so many endpoints, oldest first. */
function accountOf(count: number, readMs = 0) {
  const secretSealed = secretBox.seal('whsec_test');
  const records = Array.from({ length: count }, (_, index): Omit<WebhookRecord, 'rank'> => {
    const feed = { feedId: 'session.status', filters: {}, active: true, place: 0 };
    const own = { webhookId: `wh_${index}`, webhookNo: index, accountId: 'acc', plan: 'free' as const };
    const request = { url: `https://example.com/${index}`, method: 'post' as const, seriesId: 'f1', active: true };
    const secrets = {
      secretSealed,
      previousSecretSealed: null,
      previousSince: null,
      rotatedAt: null,
      headersSealed: null,
    };
    const times = { createdAt: NOW, updatedAt: NOW, deletedAt: null };
    return {
      ...own,
      ...request,
      ...secrets,
      ...times,
      description: '',
      snapshot: false,
      filters: {},
      feedPatterns: [],
      subscriptions: [feed],
    };
  });
  const read: number[] = [];
  const rests: number[] = [];
  let nowMs = 0;
  const control = new RecordedControl();
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  /** The first read of endpoints has begun when it is `reached`; none ends before it is opened. */
  const gate = { reached: reached.promise, open: opened.resolve };
  const readFrom = async (offset: number, limit: number): Promise<WebhookRecord[]> => {
    const page = records.slice(offset, offset + limit).map((record, index) => ({ ...record, rank: offset + index }));
    read.push(page.length);
    reached.resolve();
    await opened.promise;
    nowMs += readMs;
    return page;
  };
  const announcer = new EndpointAnnouncer({
    store: {
      count: async () => records.length,
      deletedInRuns: async () => ['wh_deleted'],
      list: (_accountId, limit, offset) => readFrom(offset, limit),
      listAfter: (_accountId, last, limit) => readFrom(last === null ? 0 : last.rank + 1, limit),
      coverageAfter: (_accountId, last, limit) => readFrom(last === null ? 0 : last.rank + 1, limit),
    } as Partial<WebhookStore> as WebhookStore,
    control,
    lists: new WebhookListCache(systemClock),
    changes: new KeyedMutex(),
    catalogue: new FeedCatalogue(FEEDS),
    secretBox,
    clock: { ...systemClock, nowMs: () => nowMs, sleep: async (ms) => void rests.push(ms) },
  });
  return { announcer, control, read, records, gate, rests };
}

test('a change of plan reads and sends the endpoints of an account in parts, each of them once', async () => {
  const count = 2 * ANNOUNCED_AT_ONCE_MAX + 5;
  const { announcer, control, read, gate } = accountOf(count);
  gate.open();
  await announcer.planChanged('acc');
  assert.ok(Math.max(...read) <= ANNOUNCED_AT_ONCE_MAX, `${read}`);
  assert.deepEqual(
    control.covered.map(({ webhookId }) => webhookId),
    Array.from({ length: count }, (_, index) => `wh_${index}`),
  );
});

test('changes that may have been missed are sent with all settings, in parts, beside a change of plan that waits', async () => {
  const count = ANNOUNCED_AT_ONCE_MAX + 5;
  const { announcer, control, gate, read } = accountOf(count);
  gate.open();
  await Promise.all([announcer.planChanged('acc'), announcer.changesMissed('acc')]);
  assert.deepEqual(read, [ANNOUNCED_AT_ONCE_MAX, 5, ANNOUNCED_AT_ONCE_MAX, 5]);
  assert.deepEqual(
    control.changed.map(({ webhookId, secret }) => [webhookId, secret]),
    Array.from({ length: count }, (_, index) => [`wh_${index}`, 'whsec_test']),
  );
  assert.equal(control.covered.length, count);
  assert.deepEqual(control.deleted, ['wh_deleted']);
});

test('a change of plan leaves half of the time to others: it rests after each part, but never for long', async () => {
  for (const [readMs, restMs] of [
    [8, 8],
    [900, CHANGE_REST_MS_MAX],
  ]) {
    const { announcer, gate, rests } = accountOf(2 * ANNOUNCED_AT_ONCE_MAX + 5, readMs);
    gate.open();
    await announcer.planChanged('acc');
    assert.deepEqual(rests, [restMs, restMs], 'and not after the last one');
  }
});

test('changes of plan that come while one is being sent are sent together, once', async () => {
  const { announcer, control, gate } = accountOf(3);
  const first = announcer.planChanged('acc');
  await gate.reached;
  const others = Array.from({ length: 5 }, () => announcer.planChanged('acc'));
  gate.open();
  await Promise.all([first, ...others]);
  assert.equal(control.covered.length, 2 * 3);
  await announcer.planChanged('acc');
  assert.equal(control.covered.length, 3 * 3);
});

test('a change of plan reads no endpoint while the account has no run, and no further one once its run has ended', async () => {
  const { announcer, control, read, gate } = accountOf(2 * ANNOUNCED_AT_ONCE_MAX);
  control.isDelivering = false;
  await announcer.planChanged('acc');
  assert.deepEqual(read, []);
  control.isDelivering = true;
  const announced = announcer.planChanged('acc');
  await gate.reached;
  control.isDelivering = false;
  gate.open();
  await announced;
  assert.deepEqual(read, [ANNOUNCED_AT_ONCE_MAX]);
});

test('a deletion reads and sends the one endpoint that it makes room for, however many are suspended', async () => {
  const { announcer, control, read, records, gate } = accountOf(500);
  gate.open();
  const { endpoints } = TERMS.free;
  const [gone] = records.splice(1, 1);
  await announcer.deleted('acc', gone!.webhookId, endpoints);
  assert.deepEqual(control.deleted, [gone!.webhookId]);
  assert.deepEqual(
    control.covered.map(({ webhookId, active }) => [webhookId, active]),
    [[`wh_${endpoints}`, true]],
  );
  assert.deepEqual(read, [1]);
});

test('a deletion from an account with room sends no other endpoint', async () => {
  const { announcer, control, records, gate } = accountOf(3);
  gate.open();
  const [gone] = records.splice(0, 1);
  await announcer.deleted('acc', gone!.webhookId, TERMS.free.endpoints);
  assert.deepEqual(control.covered, []);
});
