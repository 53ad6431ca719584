// The option `snapshot` of an endpoint: before its first update of a session it gets the state of each of its feeds.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { importBothSessions } from '#test/support/brief-session.ts';
import { contractService } from '#test/support/contract-service.ts';
import { byFeed, receive, type State, unordered } from '#test/support/documented-state.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { IN_SEASON } from './short-session.ts';

const service = await contractService(
  { after },
  { ...IN_SEASON, ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' },
  importBothSessions,
);

test('an endpoint that is created in mid-session gets the state of each of its feeds before its first update', async (t) => {
  const [client, receiver] = [await service.client('custom'), await startWebhookReceiver()];
  t.after(() => receiver.close());
  const stateOf = async (query = '') => (await client.call('GET', `/sessions/2026-snap-race/state${query}`)).body;
  const source = new OwnSource(service, '2026-snap-race');
  await source.upTo(9_500);
  await eventually('the session is live', async () => (await stateOf()).data !== undefined);
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'], snapshot: true });
  const base = (await stateOf()).data;
  await source.upTo();
  const last = (await stateOf()).data;
  const updates = () => receiver.received.filter(({ body }) => !JSON.parse(body).snapshot);
  await eventually(
    'every update since',
    () => new Set(updates().map(({ sequence }) => sequence)).size === last.sequence - base.sequence,
  );
  const snapshots = receiver.received.slice(0, base.states.length);
  const states: State[] = snapshots.map(({ body }) => JSON.parse(body));
  assert.ok(states.every(({ snapshot }) => snapshot === true));
  assert.deepEqual(
    unordered(byFeed(states.map(({ snapshot, ...state }) => state))),
    unordered(byFeed(base.states)),
    'they are the states of that moment',
  );
  const kept = receive(
    byFeed(states.map(({ snapshot, ...state }) => state)),
    updates()
      .map(({ body }) => JSON.parse(body))
      .toSorted((a, b) => a.sequence - b.sequence),
  );
  assert.deepEqual(unordered(kept), unordered(byFeed(last.states)), 'with the updates it has what all others have');
  void webhookId;
});
