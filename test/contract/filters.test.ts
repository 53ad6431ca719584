// "Filters object" of the interface: its keys and its rules, checked by what receivers get from one replay. Each endpoint below
// has its own filter and its own receiver, and all of them take part in the same run.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BRIEF_SESSION, CARS } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { service } from './replay-service.ts';
import { endedRun, type RunEndpoint, runOnce } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

interface Payload {
  readonly feed: string;
  readonly sequence: number;
  readonly event?: string;
  readonly drivers?: readonly { readonly tla: string; readonly team: string; readonly position: number }[];
}

const ENDPOINTS = {
  nothing: { feedIds: ['timing.data', 'events.race', 'lap.count'] },
  emptyObject: { feedId: 'timing.data', filters: {} },
  drivers: { feedId: 'timing.data', filters: { drivers: ['HER', 'fox'] } },
  driverNumbers: { feedId: 'timing.data', filters: { driverNumbers: ['21', '31'] } },
  constructors: { feedId: 'timing.data', filters: { constructors: ['BLUEheron', 'copper fox'] } },
  positions: { feedId: 'timing.data', filters: { positions: { min: 2, max: 2 } } },
  teamInWindow: { feedId: 'timing.data', filters: { constructors: ['red kite'], positions: { min: 2, max: 3 } } },
  contradiction: { feedId: 'timing.data', filters: { drivers: ['HER'], constructors: ['red kite'] } },
  eventTypes: { feedId: 'events.race', filters: { eventTypes: ['pit_entry', 'session_end'] } },
  pitsOfKite: { feedId: 'events.race', filters: { eventTypes: ['pit_entry'], constructors: ['kite'] } },
  perDriverFeeds: { feedIds: ['timing.data', 'tire.stints', 'timing.driver-info'], filters: { drivers: ['KIT'] } },
  endpointWide: { feedIds: ['timing.data', 'events.race', 'lap.count'], filters: { drivers: ['HAN'] } },
  perFeed: {
    subscriptions: [
      { feedId: 'timing.data', filters: { drivers: ['FAX'] } },
      { feedId: 'events.race', filters: { eventTypes: ['pit_exit'] } },
      { feedId: 'tire.stints' },
    ],
  },
} as const;

type Name = keyof typeof ENDPOINTS;

const names = Object.keys(ENDPOINTS) as Name[];
const receivers = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await startWebhookReceiver()])),
) as Record<Name, WebhookReceiver>;
const opened = Object.values(receivers);
after(() => Promise.all(opened.map((receiver) => receiver.close())));

before(async () => {
  const client = await service.client('developer');
  for (const name of names) await client.webhook({ webhookUrl: receivers[name].url, ...ENDPOINTS[name] });
  await prepare(client, BRIEF_SESSION);
  const { state, endpoints } = await endedRun(client, await replay(client, BRIEF_SESSION));
  assert.equal(state, 'completed');
  for (const { matched, delivered } of endpoints) assert.equal(delivered, matched);
});

/** The payloads that arrived, in the order of the session. */
function payloads(name: Name, feed?: string): Payload[] {
  return receivers[name].received
    .map(({ body }) => JSON.parse(body) as Payload)
    .filter((payload) => feed === undefined || payload.feed === feed)
    .toSorted((a, b) => a.sequence - b.sequence);
}

const sequences = (of: readonly Payload[]): number[] => of.map(({ sequence }) => sequence);

/** The sequences of the updates of a feed that should have arrived. */
function expected(feed: string, passes: (payload: Payload) => boolean): number[] {
  const found = sequences(payloads('nothing', feed).filter(passes));
  assert.ok(found.length > 0, 'the session has such updates');
  return found;
}

const touching =
  (...codes: string[]) =>
  (payload: Payload) =>
    payload.drivers!.some(({ tla }) => codes.includes(tla));

test('All keys are optional: without filters, or with an empty object, the whole feed is delivered', () => {
  assert.ok(payloads('nothing', 'timing.data').length > 150);
  assert.deepEqual(sequences(payloads('emptyObject')), sequences(payloads('nothing', 'timing.data')));
});

test('drivers: three-letter codes are resolved to the drivers of the session', () => {
  assert.deepEqual(sequences(payloads('drivers')), expected('timing.data', touching('HER', 'FOX')));
});

test('driverNumbers: racing numbers select the drivers', () => {
  assert.deepEqual(sequences(payloads('driverNumbers')), expected('timing.data', touching('HER', 'FOX')));
});

test('constructors: team-name keywords, in any case, with or without a space, are resolved to all drivers of the teams', () => {
  const codes = CARS.filter(({ team }) => team !== 'Red Kite Racing').map(({ tla }) => tla);
  assert.deepEqual(sequences(payloads('constructors')), expected('timing.data', touching(...codes)));
});

test('positions: delivers only payloads in which at least one driver is inside the window at that moment', () => {
  const came = payloads('positions');
  const second = (payload: Payload) => payload.drivers!.some(({ position }) => position === 2);
  assert.deepEqual(sequences(came), expected('timing.data', second));
  const holders = new Set(
    came.flatMap(({ drivers }) => drivers!.filter(({ position }) => position === 2)).map(({ tla }) => tla),
  );
  assert.deepEqual(holders, new Set(['KAT', 'FAX']), 'the window follows the order of the race, not a driver');
});

test('eventTypes: delivers only those events of events.race', () => {
  const types = new Set(payloads('nothing', 'events.race').map(({ event }) => event));
  assert.ok(types.has('pit_exit') && types.has('session_start'), 'the session has events that do not match');
  assert.deepEqual(
    payloads('eventTypes').map(({ event }) => event),
    ['pit_entry', 'pit_entry', 'session_end'],
  );
});

test('Filters rule 1: keys combine with AND; a driver of a listed team must be in the window', () => {
  const kiteInWindow = (payload: Payload) =>
    payload.drivers!.some(({ team, position }) => team === 'Red Kite Racing' && position >= 2 && position <= 3);
  assert.deepEqual(sequences(payloads('teamInWindow')), expected('timing.data', kiteInWindow));
  assert.deepEqual(payloads('contradiction'), [], 'HER does not drive for Red Kite');
  const [entry, ...others] = payloads('pitsOfKite');
  assert.deepEqual([entry!.event, entry!.drivers!.map(({ tla }) => tla), others], ['pit_entry', ['KIT'], []]);
});

test('Filters rule 2: filters are evaluated before each delivery attempt, so a change also decides about a retry', async () => {
  const client = await service.client('developer');
  const receiver = await startWebhookReceiver();
  opened.push(receiver);
  receiver.answer(500);
  const webhookId = await client.webhook({
    webhookUrl: receiver.url,
    feedId: 'tire.stints',
    filters: { drivers: ['KIT'] },
  });
  const runId = await replay(client, BRIEF_SESSION);
  const [endpoint] = (await runOnce(client, runId, ({ endpoints }) => endpoints[0]!.matched >= 2)).endpoints;
  assert.equal(endpoint!.failed, 0, 'retries are still to come');
  const filters = { drivers: ['FOX'] };
  assert.equal((await client.call('PATCH', `/webhooks/${webhookId}`, { filters })).status, 200);
  receiver.answer(200);
  const [settled] = (await endedRun(client, runId)).endpoints as [RunEndpoint];
  // The first update shows the tires of all six cars and still matches; the second one is about KIT alone.
  assert.deepEqual([settled.delivered, settled.skipped], [1, { filtered: 1 }]);
});

test('Filters rule 3: driver keys apply to per-driver feeds and to events.race, and are refused on feeds without drivers', async () => {
  for (const feed of ['timing.data', 'tire.stints', 'timing.driver-info']) {
    const came = payloads('perDriverFeeds', feed);
    assert.ok(came.length > 0, feed);
    for (const payload of came) assert.ok(touching('KIT')(payload));
  }
  const client = await service.client('developer');
  const refused = async (feedId: string, filters: object): Promise<string> => {
    const create = { webhookUrl: 'http://localhost:9/hook', subscriptions: [{ feedId, filters }] };
    const { status, body } = await client.call('POST', '/webhooks', create);
    assert.deepEqual([status, body.code], [400, 'invalid_filters']);
    return body.error;
  };
  assert.match(await refused('lap.count', { drivers: ['KIT'] }), /filters\.drivers is only for feeds about drivers/);
  assert.match(
    await refused('timing.data', { eventTypes: ['overtake'] }),
    /eventTypes is only for the feed events\.race/,
  );
});

test('Filters rule 4: endpoint-wide filters apply to every feed of the endpoint', () => {
  assert.deepEqual(sequences(payloads('endpointWide', 'timing.data')), expected('timing.data', touching('HAN')));
  assert.deepEqual(sequences(payloads('endpointWide', 'events.race')), expected('events.race', touching('HAN')));
  // A lap count is not about drivers, so a driver filter does not apply.
  assert.deepEqual(sequences(payloads('endpointWide', 'lap.count')), sequences(payloads('nothing', 'lap.count')));
});

test('Filters rule 4: a per-feed filter set through subscriptions applies to that feed only', () => {
  assert.deepEqual(sequences(payloads('perFeed', 'timing.data')), expected('timing.data', touching('FAX')));
  assert.deepEqual(
    payloads('perFeed', 'events.race').map(({ event }) => event),
    ['pit_exit', 'pit_exit'],
  );
  assert.equal(payloads('perFeed', 'tire.stints').length, 3);
});

test('Filters rule 4: a per-feed filter set through PATCH of the feed applies to that feed only', async () => {
  const client: ContractClient = await service.client('developer');
  const receiver = await startWebhookReceiver();
  opened.push(receiver);
  const feedIds = ['tire.stints', 'events.race'];
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds });
  const path = `/webhooks/${webhookId}/feeds/events.race`;
  assert.equal((await client.call('PATCH', path, { filters: { eventTypes: ['session_end'] } })).status, 200);
  await endedRun(client, await replay(client, BRIEF_SESSION));
  const came = receiver.received.map(({ body }) => JSON.parse(body) as Payload);
  assert.deepEqual(
    came.filter(({ feed }) => feed === 'events.race').map(({ event }) => event),
    ['session_end'],
  );
  assert.equal(came.filter(({ feed }) => feed === 'tire.stints').length, 3);
});
