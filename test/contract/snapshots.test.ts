// The option `snapshot` of an endpoint: before its first update of a session it gets the state of each of its feeds.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Value } from 'typebox/value';
import type { Plan } from '#api/plans/plan.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { importBothSessions } from '#test/support/brief-session.ts';
import { contractService } from '#test/support/contract-service.ts';
import { byFeed, receive, type State, unordered } from '#test/support/documented-state.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { type Received, startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { endedRun, type LogEntry } from './run-watch.ts';
import { IN_SEASON, prepare } from './short-session.ts';

const service = await contractService(
  { after },
  { ...IN_SEASON, ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' },
  importBothSessions,
);

type Payload = State & { readonly feed: string; readonly sequence: number; readonly snapshot?: true };

const payloadOf = ({ body }: Pick<Received, 'body'>): Payload => JSON.parse(body);
const isSnapshot = (received: Received): boolean => payloadOf(received).snapshot === true;
const idOf = ({ headers }: Received): string => headers['x-service-delivery-id'] as string;

/** A live session in its middle, and an endpoint that joins it then. */
async function joined(t: TestContext, plan: Plan, sessionId: string, body: Record<string, unknown>) {
  const [client, receiver] = [await service.client(plan), await startWebhookReceiver()];
  t.after(() => receiver.close());
  const stateOf = async () => (await client.call('GET', `/sessions/${sessionId}/state`)).body.data;
  const source = new OwnSource(service, sessionId);
  await source.upTo(9_500);
  await eventually('the session is live', async () => (await stateOf()) !== undefined);
  const webhookId = await client.webhook({ webhookUrl: receiver.url, ...body });
  t.after(() => client.call('DELETE', `/webhooks/${webhookId}`));
  return { client, receiver, source, webhookId, stateOf };
}

test('an endpoint that joins in mid-session gets the state of each of its feeds before its first update', async (t) => {
  const { receiver, source, stateOf } = await joined(t, 'custom', '2026-snap-race', { feedIds: ['*'], snapshot: true });
  const base = await stateOf();
  await source.upTo();
  const last = await stateOf();
  const updates = () => receiver.received.filter((one) => !isSnapshot(one));
  await eventually(
    'every update since',
    () => new Set(updates().map(({ sequence }) => sequence)).size === last.sequence - base.sequence,
  );
  const snapshots = receiver.received.slice(0, base.states.length);
  assert.ok(snapshots.every(isSnapshot));
  const states = byFeed(snapshots.map(payloadOf).map(({ snapshot, ...state }) => state));
  assert.deepEqual(unordered(states), unordered(byFeed(base.states)), 'they are the states of that moment');
  const inOrder = updates()
    .map(payloadOf)
    .toSorted((a, b) => a.sequence - b.sequence);
  const kept = receive(states, inOrder);
  assert.deepEqual(unordered(kept), unordered(byFeed(last.states)), 'with the updates it has what all others have');
  for (const payload of snapshots.map(payloadOf)) {
    const schema = PAYLOAD_SCHEMAS[payload.feed as FeedId];
    assert.ok(Value.Check(schema, payload), `${payload.feed} follows its schema`);
  }
});

test('a snapshot is logged, shown and counted like an update, and can be sent again', async (t) => {
  const feeds = ['timing.data', 'events.race', 'lap.count'];
  const joining = await joined(t, 'developer', '2026-snap-sprint', { feedIds: feeds, snapshot: true });
  const { client, receiver, source, webhookId } = joining;
  await source.upTo();
  await eventually('updates', () => receiver.received.some((one) => !isSnapshot(one)));
  // Several are under way at once.
  const snapshots = receiver.received.filter(isSnapshot).toSorted((a, b) => (a.feed < b.feed ? -1 : 1));
  assert.deepEqual(
    snapshots.map(({ feed }) => feed),
    ['lap.count', 'timing.data'],
  );
  const logs = async () => (await client.call('GET', `/webhooks/${webhookId}/logs?limit=500`)).body.data.logs;
  const entries = await eventually('the log', async () => {
    const found = (await logs()).filter(({ snapshot }: { snapshot: boolean }) => snapshot);
    return found.length === 2 && found.toSorted((a: LogEntry, b: LogEntry) => (a.feedId < b.feedId ? -1 : 1));
  });
  const shown = async (logId: string) => (await client.call('GET', `/webhooks/${webhookId}/logs/${logId}`)).body.data;
  for (const [index, received] of snapshots.entries()) {
    const entry = entries[index];
    assert.deepEqual([entry.feedId, entry.deliveryId, entry.attempt], [received.feed, idOf(received), 1]);
    assert.ok(entry.sequence >= received.sequence, 'the last update that it covers');
    const { request, notes } = await shown(entry.logId);
    assert.deepEqual([request.body, notes], [received.body, []]);
    assert.equal(request.headers['X-Service-Signature'], received.headers['x-service-signature']);
  }
  await eventually('usage', async () => {
    const { deliveryCount } = (await client.call('GET', '/usage')).body.data;
    return deliveryCount === receiver.received.length;
  });

  const resend = await client.call('POST', `/webhooks/${webhookId}/resend`, { deliveryIds: snapshots.map(idOf) });
  assert.deepEqual([resend.status, resend.body.data.updates], [202, 2]);
  const again = () => receiver.received.filter(({ headers }) => headers['x-service-resend'] === resend.body.data.runId);
  await eventually('they come again', () => again().length === 2);
  assert.deepEqual(
    new Map(again().map((one) => [idOf(one), one.body])),
    new Map(snapshots.map((one) => [idOf(one), one.body])),
  );
  const unknown = `${idOf(snapshots[0]!).slice(0, -7)}${'z'.repeat(7)}`;
  assert.equal((await client.call('POST', `/webhooks/${webhookId}/resend`, { deliveryId: unknown })).status, 409);

  await source.end();
  await eventually('the deliveries have ended', async () => {
    const { runs } = (await client.call('GET', '/live/runs?session=2026-snap-sprint')).body.data;
    return runs[0].state === 'completed';
  });
  await prepare(client, '2026-snap-sprint');
  const { request } = await shown(entries[1].logId);
  assert.equal(request.body, snapshots[1]!.body, 'made again from the recording');
});

test('POST /v1/webhooks/:webhookId/resend: snapshots that a receiver missed come again with the session, before its updates', async (t) => {
  const sessionId = '2026-snap-race-late';
  const [client, receiver] = [await service.client('custom'), await startWebhookReceiver()];
  t.after(() => receiver.close());
  receiver.answer(503);
  const source = new OwnSource(service, sessionId);
  await source.upTo(9_500);
  await eventually('the session is live', async () => {
    return (await client.call('GET', `/sessions/${sessionId}/state`)).status === 200;
  });
  const feedIds = ['timing.data', 'lap.count'];
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds, snapshot: true });
  const change = (body: object) => client.call('PATCH', `/webhooks/${webhookId}`, body);
  await source.upTo(15_000);
  await eventually('it refuses both snapshots', () => new Set(receiver.received.map(({ feed }) => feed)).size === 2);
  // Their retries are skipped, and so is what follows: no update precedes them.
  await change({ active: false });
  const live = async () => (await client.call('GET', `/live/runs?session=${sessionId}`)).body.data.runs[0].endpoints[0];
  const missed = await eventually('all of it is skipped', async () => {
    const { matched, pending, skipped } = await live();
    return pending === 0 && matched > 2 && skipped.paused === matched && matched;
  });
  assert.ok(receiver.received.every(isSnapshot));
  const refused = new Map(receiver.received.map((one) => [idOf(one), one.body]));
  const before = receiver.received.length;

  receiver.answer(200);
  await change({ active: true });
  const { status, body } = await client.call('POST', `/webhooks/${webhookId}/resend`, { sessionId });
  assert.deepEqual([status, body.data.updates, body.data.mode], [202, missed, 'live'], JSON.stringify(body));
  await endedRun(client, body.data.runId);
  const again = receiver.received.slice(before);
  assert.equal(new Set(again.map(idOf)).size, missed, 'everything that it missed');
  assert.equal(again.length, missed, 'each once');
  assert.deepEqual(new Map(again.slice(0, 2).map((one) => [idOf(one), one.body])), refused, 'as they were');
  assert.ok(!again.slice(2).some(isSnapshot));
  const none = await client.call('POST', `/webhooks/${webhookId}/resend`, { sessionId });
  assert.deepEqual([none.status, none.body.code], [409, 'nothing_to_resend']);
});

test('snapshot is off unless it is asked for, PATCH turns it on and off, and nothing but a boolean is taken', async (t) => {
  const client = await service.client('free');
  const webhookId = await client.webhook();
  t.after(() => client.call('DELETE', `/webhooks/${webhookId}`));
  const now = async () => (await client.call('GET', `/webhooks/${webhookId}`)).body.data.snapshot;
  assert.equal(await now(), false);
  for (const snapshot of [true, false]) {
    const { status, body } = await client.call('PATCH', `/webhooks/${webhookId}`, { snapshot });
    assert.deepEqual([status, body.data.snapshot, await now()], [200, snapshot, snapshot]);
  }
  await client.call('PATCH', `/webhooks/${webhookId}`, { snapshot: true });
  await client.call('PATCH', `/webhooks/${webhookId}`, { description: 'Pit wall' });
  assert.equal(await now(), true, 'what is left out stays');
  const wrong = await client.call('PATCH', `/webhooks/${webhookId}`, { snapshot: 'yes' });
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_body']);
});
