// "Usage records" and "Usage" of the interface: the deliveries of the calendar month, added up.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BRIEF_SESSION } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { service } from './replay-service.ts';
import { deliveryLog, endedRun } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

interface FeedUsage {
  readonly feedId: string;
  readonly deliveryCount: number;
}

interface FeedLatency {
  readonly feedId: string;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly sampleCount: number;
}

const { sql } = service;
const [steady, late] = [await startWebhookReceiver(), await startWebhookReceiver()];
after(() => Promise.all([steady.close(), late.close()]));
const read = async (client: ContractClient, path = '') => (await client.call('GET', `/usage${path}`)).body.data;

/** Has replayed the session to two endpoints. One of them refused its first attempt and accepted the retry. */
let user: ContractClient;
let webhookIds: string[];

before(async () => {
  user = await service.client('free');
  await prepare(user, BRIEF_SESSION);
  late.answer(503);
  webhookIds = [
    await user.webhook({ webhookUrl: steady.url, feedIds: ['lap.count', 'session.status'] }),
    await user.webhook({ webhookUrl: late.url, feedId: 'session.info' }),
  ];
  const runId = await replay(user, BRIEF_SESSION);
  await eventually('the first attempt', () => late.received.length === 1);
  late.answer(200);
  await endedRun(user, runId);
  assert.deepEqual([steady.received.length, late.received.length], [98, 2]);
});

test('GET /usage: returns deliveryCount, successCount and failureCount of the window, which starts with the month', async () => {
  const { deliveryCount, successCount, failureCount, windowStart } = await read(user);
  assert.deepEqual([deliveryCount, successCount, failureCount], [100, 99, 1]);
  const now = new Date();
  assert.equal(windowStart, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString());
});

test('Each attempt counts: usage equals the delivery logs', async () => {
  const logs = await Promise.all(webhookIds.map((webhookId) => deliveryLog(user, webhookId)));
  const { deliveryCount, successCount } = await read(user);
  assert.equal(logs.flat().length, deliveryCount);
  assert.equal(logs.flat().filter(({ statusCode }) => statusCode === 200).length, successCount);
});

test('GET /usage/by-feed: returns the deliveries of each feed, which add up to the total', async () => {
  const { byFeed } = await read(user, '/by-feed');
  const counts = byFeed.map(({ feedId, deliveryCount }: FeedUsage) => [feedId, deliveryCount]);
  assert.deepEqual(counts.toSorted(), [
    ['lap.count', 94],
    ['session.info', 2],
    ['session.status', 4],
  ]);
});

test('GET /usage/latency: returns p50, p95 and p99 of acknowledged deliveries in milliseconds, and the sample count', async () => {
  const { byFeed } = await read(user, '/latency');
  const samples = byFeed.map(({ feedId, sampleCount }: FeedLatency) => [feedId, sampleCount]);
  assert.deepEqual(samples.toSorted(), [
    ['lap.count', 94],
    ['session.info', 1],
    ['session.status', 4],
  ]);
  for (const { feedId, p50, p95, p99 } of byFeed as FeedLatency[]) {
    assert.ok(0 < p50 && p50 <= p95 && p95 <= p99, `${p50} ${p95} ${p99}`);
    // Latency runs from the event to its acknowledgement, so it includes the second between two attempts.
    if (feedId === 'session.info') assert.ok(p50 >= 980, String(p50));
  }
});

test('Usage counts only the deliveries of the account', async () => {
  const other = await service.client('free');
  const { deliveryCount, successCount, failureCount } = await read(other);
  assert.deepEqual([deliveryCount, successCount, failureCount], [0, 0, 0]);
  for (const path of ['/by-feed', '/latency']) assert.deepEqual((await read(other, path)).byFeed, []);
});

test('Limits rule 6: the counters reset at the start of each calendar month', async () => {
  const client = await service.client('free');
  const webhookId = await client.webhook({ feedId: 'lap.count', webhookUrl: 'https://receiver.invalid/hook' });
  await client.call('POST', `/webhooks/${webhookId}/test`);
  await sql`insert into usage_latency (account_id, month, feed_id, counts)
    select account_id, month, feed_id, array[1] from usage where account_id = ${client.accountId}`;
  assert.equal((await read(client)).deliveryCount, 1);
  assert.equal((await read(client, '/latency')).byFeed.length, 1);
  // To simulate a new month, the counts are moved into the last month.
  for (const table of ['usage', 'usage_latency']) {
    await sql`update ${sql(table)} set month = month - interval '1 month' where account_id = ${client.accountId}`;
  }
  const { deliveryCount, successCount, failureCount, skippedCount } = await read(client);
  assert.deepEqual([deliveryCount, successCount, failureCount, skippedCount], [0, 0, 0, 0]);
  for (const path of ['/by-feed', '/latency']) assert.deepEqual((await read(client, path)).byFeed, []);
});
