import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointCreations } from '#api/webhooks/endpoint-creations.ts';
import type { NewWebhook, WebhookRecord } from '#api/webhooks/webhook-store.ts';
import { CREATED_AT_ONCE_MAX } from '#engine/base/limits.ts';

/** Keeps the names of endpoints, and those of each go. */
class Store {
  readonly goes: string[][] = [];
  readonly kept = new Map<string, string[]>();
  fails = false;
  #running = new Set<string>();

  async insert(accountId: string, webhooks: readonly NewWebhook[], endpointsMax: number): Promise<number> {
    assert.ok(!this.#running.has(accountId), 'one go of an account at a time');
    this.#running.add(accountId);
    await new Promise((resolve) => setImmediate(resolve));
    this.#running.delete(accountId);
    if (this.fails) throw new Error('no database');
    const names = webhooks.map(({ webhookId }) => webhookId);
    this.goes.push(names);
    const kept = this.kept.get(accountId) ?? [];
    const created = names.slice(0, Math.max(0, endpointsMax - kept.length));
    this.kept.set(accountId, [...kept, ...created]);
    return created.length;
  }

  async findAll(webhookIds: readonly string[]): Promise<WebhookRecord[]> {
    if (this.fails) throw new Error('no database');
    const kept = new Set([...this.kept.values()].flat());
    return webhookIds.filter((webhookId) => kept.has(webhookId)).map((webhookId) => ({ webhookId }) as WebhookRecord);
  }
}

const named = (accountId: string, webhookId: string) => ({ accountId, webhookId }) as NewWebhook;

test('the endpoints that an account creates while one is written are written in one go, in their order', async () => {
  const store = new Store();
  const creations = new EndpointCreations(store);
  const names = Array.from({ length: 2 * CREATED_AT_ONCE_MAX }, (_, number) => `endpoint ${number}`);
  const created = await Promise.all(names.map((name) => creations.create(named('a', name), 1_000)));
  assert.deepEqual(created, Array(names.length).fill(true));
  assert.deepEqual(store.kept.get('a'), names);
  assert.deepEqual(
    store.goes.map(({ length }) => length),
    [CREATED_AT_ONCE_MAX, CREATED_AT_ONCE_MAX],
  );
});

test('accounts do not wait for each other', async () => {
  const store = new Store();
  const creations = new EndpointCreations(store);
  const many = Array.from({ length: 5 * CREATED_AT_ONCE_MAX }, (_, number) =>
    creations.create(named('many', `endpoint ${number}`), 1_000),
  );
  await creations.create(named('one', 'only'), 1_000);
  assert.ok(store.goes.length <= 2, `${store.goes.length} goes`);
  await Promise.all(many);
});

test('the first ones that there is room for are created, by the limit that each came with', async () => {
  const creations = new EndpointCreations(new Store());
  const limits = [2, 2, 2, 4, 4, 4];
  const created = await Promise.all(limits.map((max, number) => creations.create(named('a', `${number}`), max)));
  assert.deepEqual(created, [true, true, false, true, true, false]);
});

test('a go that fails fails for all of it, and the next one is made', async () => {
  const store = new Store();
  const creations = new EndpointCreations(store);
  store.fails = true;
  const failed = await Promise.allSettled([1, 2].map((number) => creations.create(named('a', `${number}`), 9)));
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  store.fails = false;
  assert.equal(await creations.create(named('a', '3'), 9), true);
});
