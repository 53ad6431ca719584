// What an endpoint has missed live, after resends. The test plays the engine: it writes checkpoints and the delivery log,
// and settles runs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { recoveredOf } from '#api/resends/recovery.ts';
import { deliveryId, deliveryIdPrefix } from '#engine/delivery/sign/delivery-headers.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { attempted, DELIVERED, FAILED } from './attempts-made.ts';
import { runOf, settleRun } from './replay-calls.ts';

const api = await withApi({ after });
let sessions = 0;

const resend = (client: Client, webhookId: string, body: unknown) =>
  client.call('POST', `/v1/webhooks/${webhookId}/resend`, body);
const missed = async (client: Client, webhookId: string) =>
  (await client.call('GET', `/v1/webhooks/${webhookId}`)).body.data.health.missedUpdates;

/** A live session of 20 updates, of which 2, 3, 11, 12 and 13 failed, 15 to 18 expired, and 19 and 20 were paused. */
async function liveWithMissed() {
  const client = await api.client('developer');
  const webhookId = await client.webhook();
  const sessionId = `2026-missed-race-${++sessions}`;
  const live = new WrittenTimeline();
  live.publish(Array.from({ length: 20 }, () => ({ feed: 'session.status' as const })));
  await api.app.live.opened({ ...live.memory, head: { sessionId, seriesId: 'f1' } }, 'live');
  const mine = () =>
    api.control.started.find(({ run }) => run.accountId === client.accountId && run.sessionId === sessionId);
  await until(() => mine() !== undefined);
  const { runId } = mine()!.run;
  for (const sequence of [1, 4, 5, 6, 7, 8, 9, 10, 14]) await attempted(api, runId, webhookId, sequence, DELIVERED);
  for (const sequence of [2, 3, 11, 12, 13]) await attempted(api, runId, webhookId, sequence, FAILED);
  await api.sql`
    insert into skipped_span (run_id, webhook_id, first_position, last_position, reason)
    values (${runId}, ${webhookId}, 14, 17, 'expired'), (${runId}, ${webhookId}, 18, 19, 'paused')`;
  await api.sql`
    update run_endpoint set next_position = 20, matched = 20, delivered = 9, failed = 5,
      skipped = '{"expired": 4, "paused": 2}'
    where run_id = ${runId}`;
  /** Plays a resend in which these sequences end so. */
  const play = async (body: unknown, delivered: readonly number[], failed: readonly number[] = []) => {
    const started = await resend(client, webhookId, body);
    assert.equal(started.status, 202, JSON.stringify(started.body));
    const again = started.body.data.runId;
    for (const sequence of delivered) await attempted(api, again, webhookId, sequence, DELIVERED);
    for (const sequence of failed) await attempted(api, again, webhookId, sequence, FAILED);
    return again;
  };
  return { client, webhookId, sessionId, runId, play };
}

test('missed updates are fewer by those of them that a resend has delivered, once it has ended', async () => {
  const { client, webhookId, sessionId, play } = await liveWithMissed();
  assert.equal(await missed(client, webhookId), 9);
  // 19 was paused on purpose, so it never counted.
  const first = await play({ sessionId }, [2, 3, 11, 15, 16, 19], [12]);
  assert.equal(await missed(client, webhookId), 9, 'it is still running');
  await settleRun(api, client, first);
  assert.equal(await missed(client, webhookId), 4);
  const second = await play({ sessionId }, [12, 13, 17, 18, 20]);
  await settleRun(api, client, second);
  assert.equal(await missed(client, webhookId), 0);
  const id = deliveryId(deliveryIdPrefix('live', sessionId, webhookId), 2);
  await settleRun(api, client, await play({ deliveryId: id }, [2]));
  assert.equal(await missed(client, webhookId), 0, 'what is delivered again is not missed less');
});

test('a resend that is stopped counts for what it has delivered; one of other updates for nothing', async () => {
  const { client, webhookId, sessionId, play } = await liveWithMissed();
  const first = await play({ sessionId, outcome: 'failed' }, [2, 3]);
  await client.call('DELETE', `/v1/simulate/stream?runId=${first}`);
  await until(async () => (await runOf(client, first)).endedAt !== null);
  assert.equal(await missed(client, webhookId), 7);
  const other = await play({ deliveryId: deliveryId(deliveryIdPrefix('live', sessionId, webhookId), 4) }, [4]);
  await settleRun(api, client, other);
  assert.equal(await missed(client, webhookId), 7);
  await api.sql`update run_endpoint set failed = 6 where failed = 5 and webhook_id = ${webhookId}`;
  assert.equal(await missed(client, webhookId), 8, 'what fails later is missed');
});

test('over a crash an update that a resend delivered counts once', async () => {
  const { client, webhookId, sessionId, runId, play } = await liveWithMissed();
  const first = await play({ sessionId }, [2, 3]);
  await api.sql`update run_endpoint set recovered = 2 where run_id = ${runId}`;
  await settleRun(api, client, first);
  assert.equal(await missed(client, webhookId), 7, 'it had been noted, and its end had not');
});

test('what resends delivered counts only if it failed or expired in that live run', () => {
  const none = { delivered: [], failed: [], skipped: [], pending: [], selection: null };
  const first = {
    ...none,
    failed: [1, 2],
    skipped: [
      { first: 5, last: 7, reason: 'expired' as const },
      { first: 8, last: 9, reason: 'paused' as const },
    ],
  };
  const again = { ...none, delivered: [2, 4, 5, 9], selection: Uint32Array.from([1, 2, 5, 6, 7, 9]) };
  assert.equal(recoveredOf(first, [again, { ...none, delivered: [5, 7] }]), 3);
  assert.equal(recoveredOf(first, []), 0);
});
