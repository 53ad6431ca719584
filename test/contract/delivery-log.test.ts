// The delivery log beside what receivers got: entries say which delivery they are, and show the request as it was sent.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BRIEF_SESSION, importBriefSession } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { endedRun } from './run-watch.ts';
import { IN_SEASON, prepare, replay } from './short-session.ts';

const LIVE_SESSION = '2026-imola-race';
const env = { ...IN_SEASON, ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' };
const service = await contractService({ after }, env, importBriefSession);

interface Entry {
  readonly logId: string;
  readonly deliveryId: string;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly mode: string;
  readonly feedId: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly failureCode: string | null;
  readonly latencyMs: number;
  readonly lagMs: number | null;
}

interface Detail extends Entry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, string | null> | null;
    readonly body: string | null;
  };
  readonly response: { readonly statusCode: number; readonly body: string } | null;
  readonly notes: readonly { readonly part: string; readonly reason: string; readonly text: string }[];
}

let client: ContractClient;
let receiver: WebhookReceiver;
let webhookId: string;
let runId: string;
let source: OwnSource;

before(async () => {
  client = await service.client('custom');
  receiver = await startWebhookReceiver();
  webhookId = await client.webhook({ webhookUrl: `${receiver.url}?key=1`, feedIds: ['lap.count', 'timing.data'] });
  await prepare(client, BRIEF_SESSION);
  receiver.answer(503);
  runId = await replay(client, BRIEF_SESSION);
  await eventually('a first attempt', () => receiver.received.length > 0);
  receiver.answer(200);
  await endedRun(client, runId);
  source = new OwnSource(service, LIVE_SESSION);
  await source.upTo(2_000);
  let seen = -1;
  await eventually('the live deliveries so far', async () => {
    const { length } = await entries('mode=live');
    const isQuiet = length > 0 && length === seen;
    seen = length;
    return isQuiet;
  });
  await client.call('POST', `/webhooks/${webhookId}/test`);
});

after(() => receiver.close());

async function entries(query: string): Promise<Entry[]> {
  const { status, body } = await client.call('GET', `/webhooks/${webhookId}/logs?limit=500&${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.logs;
}

async function detail({ logId }: Pick<Entry, 'logId'>): Promise<Detail> {
  const { status, body } = await client.call('GET', `/webhooks/${webhookId}/logs/${logId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const named = ({ request: { headers } }: Detail): Record<string, string | null> =>
  Object.fromEntries(Object.entries(headers!).map(([name, value]) => [name.toLowerCase(), value]));

const keyOf = (deliveryId: unknown, attempt: unknown): string => `${deliveryId} ${attempt}`;

/** What arrived, by delivery id and attempt. */
const arrived = (): Map<string, Received> =>
  new Map(
    receiver.received.map((one) => [
      keyOf(one.headers['x-service-delivery-id'], one.headers['x-service-attempt']),
      one,
    ]),
  );

/** Checks that the log shows exactly what arrived. */
function sameRequest(shown: Detail, got: Received): void {
  const { connection, ...headers } = got.headers;
  assert.deepEqual(named(shown), headers);
  assert.equal(shown.request.body, got.body);
  assert.deepEqual([shown.request.method, shown.request.url], [got.method, `${receiver.url}?key=1`]);
}

test('each entry carries delivery id, run, session, mode, attempt, sequence, outcome, failure code and lag', async () => {
  const log = await entries('mode=replay');
  const requests = arrived();
  assert.ok(log.length > 90 && log.some(({ outcome }) => outcome === 'failed'));
  for (const entry of log) {
    const got = requests.get(keyOf(entry.deliveryId, entry.attempt))!;
    assert.ok(got !== undefined, `the receiver got ${entry.deliveryId}`);
    assert.deepEqual([entry.feedId, entry.sequence, entry.attempt], [got.feed, got.sequence, got.attempt]);
    assert.deepEqual([entry.runId, entry.sessionId, entry.mode], [runId, BRIEF_SESSION, 'replay']);
    assert.equal(entry.failureCode, entry.outcome === 'failed' ? 'http_status' : null);
    assert.ok(entry.lagMs! >= entry.latencyMs, 'no attempt starts before its update is due');
    if (entry.attempt === 2) assert.ok(entry.lagMs! > 900, 'the delay of a retry is part of the lag');
  }
  assert.equal(log.length, receiver.received.filter(({ headers }) => headers['x-service-mode'] === 'replay').length);
});

test('the filters of a real log find what they name', async () => {
  const all = await entries('');
  const count = (query: string) => entries(query).then(({ length }) => length);
  const of = (holds: (entry: Entry) => boolean): number => all.filter(holds).length;
  assert.equal(
    await count('outcome=failed'),
    of(({ outcome }) => outcome === 'failed'),
  );
  assert.equal(
    await count('status=503'),
    of(({ failureCode }) => failureCode === 'http_status'),
  );
  assert.equal(
    await count('feed=lap.count'),
    of(({ feedId }) => feedId === 'lap.count'),
  );
  assert.equal(
    await count(`run=${runId}`),
    of((entry) => entry.runId === runId),
  );
  assert.equal(
    await count(`session=${LIVE_SESSION}`),
    of(({ sessionId }) => sessionId === LIVE_SESSION),
  );
  assert.equal(await count('mode=test'), 1);
});

test('a delivery is found by its id alone, with all of its attempts: of a replay, a live session, a test', async () => {
  const ids = async (deliveryId: string, more = '') =>
    (await entries(`delivery=${deliveryId}${more}`)).map((entry) => [entry.deliveryId, entry.attempt]);
  const [failed] = await entries('outcome=failed&mode=replay');
  assert.deepEqual(
    await ids(failed!.deliveryId),
    [2, 1].map((attempt) => [failed!.deliveryId, attempt]),
  );
  assert.deepEqual(await ids(failed!.deliveryId, '&outcome=failed'), [[failed!.deliveryId, 1]]);
  assert.deepEqual(await ids(failed!.deliveryId, '&mode=live'), []);
  for (const mode of ['live', 'test']) {
    const [entry] = await entries(`mode=${mode}`);
    assert.deepEqual(await ids(entry!.deliveryId), [[entry!.deliveryId, 1]], mode);
    assert.deepEqual(await ids(entry!.deliveryId, `&run=${runId}`), [], `${mode}, of another run`);
  }
  // Of no delivery: another place of the same run, and another endpoint.
  const [last] = await entries(`run=${runId}`);
  assert.deepEqual(await ids(`${last!.deliveryId.slice(0, -3)}zzz`), []);
  const other = await client.webhook({ webhookUrl: receiver.url, feedIds: ['lap.count'] });
  const { body } = await client.call('GET', `/webhooks/${other}/logs?delivery=${failed!.deliveryId}`);
  assert.deepEqual(body.data, { logs: [], nextCursor: null });
  await client.call('DELETE', `/webhooks/${other}`);
});

test('an entry shows the request of a replay exactly as it was sent, and the answer', async () => {
  const failed = await entries('outcome=failed&mode=replay');
  const [delivered] = await entries(`run=${runId}&feed=timing.data&outcome=delivered`);
  for (const entry of [delivered!, ...failed]) {
    const shown = await detail(entry);
    sameRequest(shown, arrived().get(keyOf(entry.deliveryId, entry.attempt))!);
    assert.deepEqual(shown.notes, []);
    assert.deepEqual(shown.response, { statusCode: entry.outcome === 'failed' ? 503 : 200, body: 'thanks' });
    const { request, response, notes, ...rest } = shown;
    assert.deepEqual(rest, entry);
  }
});

test('an entry shows the request of a live delivery exactly as it was sent while the session is live', async () => {
  const [entry] = await entries('mode=live');
  const shown = await detail(entry!);
  sameRequest(shown, arrived().get(keyOf(entry!.deliveryId, 1))!);
  assert.deepEqual([shown.notes, shown.runId === null, shown.sessionId], [[], false, LIVE_SESSION]);
});

test('once a live session is over, its requests are made from its prepared recording, and a note says so', async () => {
  await source.upTo();
  await source.end();
  await eventually('the end of the live run', async () => {
    const left = await service.sql`
      select from run where session_id = ${LIVE_SESSION} and mode = 'live' and state = 'running'`;
    return left.length === 0;
  });
  const entry = (await entries('mode=live')).find(({ feedId }) => feedId === 'timing.data')!;
  const notesOf = async () => (await detail(entry)).notes.map(({ part, reason }) => `${part} ${reason}`);
  const status = (await client.call('GET', `/simulate/status?session=${LIVE_SESSION}`)).body.data;
  if (status.status !== 'ready')
    assert.deepEqual(await notesOf(), ['body updates_not_at_hand', 'signatures updates_not_at_hand']);
  await prepare(client, LIVE_SESSION);
  assert.deepEqual(await notesOf(), ['body made_from_recording']);
  sameRequest(await detail(entry), arrived().get(keyOf(entry.deliveryId, 1))!);
});

test('after a change of the endpoint the log says that the address is the one of today', async () => {
  const [entry] = await entries(`run=${runId}&outcome=delivered`);
  await client.call('PATCH', `/webhooks/${webhookId}`, { webhookUrl: `${receiver.url}/new` });
  const { request, notes } = await detail(entry!);
  assert.equal(request.url, `${receiver.url}/new`);
  assert.deepEqual(
    notes.map(({ part, reason }) => [part, reason]),
    [['url', 'endpoint_changed']],
  );
  await client.call('PATCH', `/webhooks/${webhookId}`, { webhookUrl: `${receiver.url}?key=1` });
});

test('a request is signed with the secret of its time, also after a rotation, and not after two', async () => {
  const [entry] = await entries(`run=${runId}&outcome=delivered`);
  const got = arrived().get(keyOf(entry!.deliveryId, entry!.attempt))!;
  await client.call('POST', `/webhooks/${webhookId}/rotate-secret`);
  sameRequest(await detail(entry!), got);
  await client.call('POST', `/webhooks/${webhookId}/rotate-secret`);
  const shown = await detail(entry!);
  const { 'x-service-signature': signature, 'webhook-signature': standard, 'webhook-id': id } = named(shown);
  assert.deepEqual([signature, standard, id], [null, null, entry!.deliveryId]);
  assert.equal(shown.request.body, got.body);
  assert.deepEqual(
    shown.notes.map(({ part, reason }) => [part, reason]),
    [
      ['url', 'endpoint_changed'],
      ['signatures', 'secret_gone'],
    ],
  );
});

test('entries of other endpoints and accounts are not found; those of a deleted endpoint are', async () => {
  const [entry] = await entries('outcome=delivered');
  const other = await client.webhook();
  const stranger = await service.client('custom');
  for (const [who, path] of [
    [client, `/webhooks/${other}/logs/${entry!.logId}`],
    [client, `/webhooks/${webhookId}/logs/log_0000000000000`],
    [client, `/webhooks/${webhookId}/logs/log_zzzzzzzzzzzzz`],
    [client, `/webhooks/${webhookId}/logs/nonsense`],
    [stranger, `/webhooks/${webhookId}/logs/${entry!.logId}`],
  ] as const) {
    const { status, body } = await who.call('GET', path);
    assert.deepEqual([status, body.code], [404, 'not_found'], path);
  }
  await client.call('DELETE', `/webhooks/${webhookId}`);
  assert.equal((await detail(entry!)).logId, entry!.logId);
});
