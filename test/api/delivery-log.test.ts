// How long the delivery log of an endpoint is shown, and that its pages stay consistent while attempts arrive.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { withApi } from '#test/support/api-harness.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const START_MS = Date.UTC(2026, 5, 15, 12);

let nowMs = START_MS;
const clock = { ...systemClock, wallMs: () => nowMs };
const api = await withApi({ after }, { clock, logRetentionDays: RETENTION_DAYS });
const client = await api.client('developer');

async function logAttempts(webhookId: string, sequences: readonly number[], createdMs = nowMs): Promise<void> {
  await api.sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, status_code, latency_ms, created_at)
    select webhook_no, 'replay', ${feedNumber('session.status')!}, sequence, 1, 200, 1, ${new Date(createdMs)}
    from webhook, unnest(${sequences as number[]}::int[]) with ordinality as given (sequence, place)
    where webhook_id = ${webhookId} order by place`;
}

/** Reads the log at the given time. Tokens expire after hours, so each call gets its own. */
async function logAt(atMs: number, webhookId: string): Promise<number[] | number> {
  nowMs = atMs;
  const grant = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret };
  const { access_token: token } = (await api.call('POST', '/v1/oauth', grant)).body;
  const path = `/v1/webhooks/${webhookId}/logs`;
  const { status, body } = await api.call('GET', path, undefined, { authorization: `Bearer ${token}` });
  return status === 200 ? body.data.logs.map(({ sequence }: { sequence: number }) => sequence) : status;
}

test('an entry is shown for the retention time, even if the database holds older ones', async () => {
  nowMs = START_MS;
  const id = await client.webhook();
  await logAttempts(id, [1], START_MS - RETENTION_DAYS * DAY_MS - 1);
  await logAttempts(id, [2], START_MS - RETENTION_DAYS * DAY_MS);
  await logAttempts(id, [3], START_MS);
  assert.deepEqual(await logAt(START_MS, id), [3, 2]);
  assert.deepEqual(await logAt(START_MS + 1, id), [3]);
  assert.deepEqual(await logAt(START_MS + RETENTION_DAYS * DAY_MS + 1, id), []);
});

test('the log of a deleted endpoint stays available for 90 days, then it is not found', async () => {
  nowMs = START_MS;
  const id = await client.webhook();
  await logAttempts(id, [1], START_MS - RETENTION_DAYS * DAY_MS - 1);
  await logAttempts(id, [2], START_MS - RETENTION_DAYS * DAY_MS);
  await logAttempts(id, [3], START_MS);
  assert.equal((await client.call('DELETE', `/v1/webhooks/${id}`)).status, 200);
  await logAttempts(id, [4], START_MS + 1);
  assert.deepEqual(await logAt(START_MS + 1, id), [4, 3, 2]);
  assert.deepEqual(await logAt(START_MS + 90 * DAY_MS, id), [4, 3, 2]);
  assert.equal(await logAt(START_MS + 90 * DAY_MS + 1, id), 404);
});

test('pages read while attempts arrive repeat no entry and miss none that existed at the start', async () => {
  nowMs = START_MS;
  const [id, other] = [await client.webhook(), await client.webhook()];
  const before = Array.from({ length: 203 }, (_, sequence) => sequence + 1);
  // The dates are out of order, as group commits of several writers leave them.
  for (const sequence of before) {
    await logAttempts(id, [sequence], START_MS - ((sequence * 7) % 30) * DAY_MS);
    await logAttempts(other, [sequence]);
  }
  const seen: number[] = [];
  let arrived = 1_000;
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = client.call('GET', `/v1/webhooks/${id}/logs?limit=7${query}`);
    const [{ body }] = await Promise.all([
      page,
      logAttempts(id, [arrived++, arrived++]),
      logAttempts(other, [arrived]),
    ]);
    seen.push(...body.data.logs.map(({ sequence }: { sequence: number }) => sequence));
    cursor = body.data.nextCursor;
    await logAttempts(id, [arrived++], START_MS - (arrived % 20) * DAY_MS);
  } while (cursor !== null);
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    seen.filter((sequence) => sequence < 1_000),
    before.toReversed(),
  );
});
