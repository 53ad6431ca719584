// What the interface says about live sessions: an operator's own source sends one, and customers' receivers get it. The tests of
// the first half share one session and its endpoints. Each test of the second half has its own sessions and accounts.

import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Plan } from '#api/plans/plan.ts';
import { RETRY_DELAYS_MS } from '#engine/base/limits.ts';
import { BRIEF_SESSION, CARS, importBriefSession } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { briefRace, type Message, OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { deliveryLog, endedRun, type LogEntry, runOnce } from './run-watch.ts';
import { IN_SEASON, prepare, replay } from './short-session.ts';

interface Payload {
  readonly sessionId: string;
  readonly sequence: number;
  readonly feed: string;
  readonly event?: string;
  readonly drivers?: readonly { readonly tla: string; readonly team: string; readonly position: number }[];
}

interface Customer {
  readonly client: ContractClient;
  readonly receiver: WebhookReceiver;
  readonly webhookId: string;
  readonly secret: string;
}

const SESSION = '2026-monaco-race';
const PLANNED = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
const LIVE_TO_LOCALHOST = { ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' };

const service = await contractService({ after }, { ...IN_SEASON, ...LIVE_TO_LOCALHOST }, importBriefSession);
const { sql, mails, admin, dataDir } = service;
const opened: WebhookReceiver[] = [];
after(() => Promise.all(opened.map((receiver) => receiver.close())));

async function receiving(client: ContractClient, body: Record<string, unknown>): Promise<Customer> {
  const receiver = await startWebhookReceiver();
  opened.push(receiver);
  const webhookId = await client.webhook({ webhookUrl: receiver.url, ...body });
  const secret = (await client.call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  return { client, receiver, webhookId, secret };
}

const customer = async (plan: Plan, body: Record<string, unknown> = { feedIds: ['*'] }): Promise<Customer> =>
  receiving(await service.client(plan), body);

/** Deletes the endpoint after the test. Sessions go to every endpoint, so one that is left would slow down the next tests. */
function forThisTest(t: TestContext, { client, webhookId }: Customer): void {
  t.after(() => client.call('DELETE', `/webhooks/${webhookId}`));
}

/** The live deliveries of a session, in the order of their arrival. */
const live = ({ receiver }: Customer, sessionId: string): Received[] =>
  receiver.received.filter(
    ({ headers, body }) => headers['x-service-mode'] === 'live' && payloadOf({ body }).sessionId === sessionId,
  );
const payloadOf = ({ body }: Pick<Received, 'body'>): Payload => JSON.parse(body);
const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
const sequences = (of: readonly { readonly sequence: number }[]): number[] =>
  inOrder(of.map(({ sequence }) => sequence));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const usageOf = async ({ client }: Pick<Customer, 'client'>, path = '') =>
  (await client.call('GET', `/usage${path}`)).body.data;

/** The number of updates of a live session so far, from the metrics for operators. */
async function updatesOf(sessionId: string): Promise<number> {
  const metrics = await (await fetch(`${service.process.operators}/metrics`)).text();
  return Number(new RegExp(`slipstream_live_updates\\{session="${sessionId}"\\} (\\d+)`).exec(metrics)?.[1]);
}

/** Waits until a customer of all feeds has every update so far. Returns the number of updates. */
async function arrived(everything: Customer, { sessionId }: OwnSource): Promise<number> {
  const updates = await updatesOf(sessionId);
  await eventually(
    `${updates} updates of ${sessionId}`,
    () => new Set(live(everything, sessionId).map(({ sequence }) => sequence)).size === updates,
  );
  return updates;
}

/** Waits until every delivery of an ended session has settled. A refused delivery may need all of its retries. */
async function settled(sessionId: string): Promise<void> {
  await eventually(
    `all deliveries of ${sessionId}`,
    async () => {
      const [left] =
        await sql`select from run where session_id = ${sessionId} and mode = 'live' and state = 'running' limit 1`;
      return left === undefined;
    },
    2 * Math.max(...RETRY_DELAYS_MS),
  );
}

const status = (atMs: number, Status: string): Message => ({ topic: 'SessionStatus', atMs, data: { Status } });

const ENDPOINTS = {
  everything: { feedIds: ['*'] },
  drivers: { feedId: 'timing.data', filters: { drivers: ['HER', 'fox'] } },
  driverNumbers: { feedId: 'timing.data', filters: { driverNumbers: ['21', '31'] } },
  constructors: { feedId: 'timing.data', filters: { constructors: ['BLUEheron', 'copper fox'] } },
  positions: { feedId: 'timing.data', filters: { positions: { min: 2, max: 2 } } },
  teamInWindow: { feedId: 'timing.data', filters: { constructors: ['red kite'], positions: { min: 2, max: 3 } } },
  eventTypes: { feedId: 'events.race', filters: { eventTypes: ['pit_entry', 'session_end'] } },
  endpointWide: { feedIds: ['timing.data', 'events.race', 'lap.count'], filters: { drivers: ['HAN'] } },
  perFeed: {
    subscriptions: [
      { feedId: 'timing.data', filters: { drivers: ['FAX'] } },
      { feedId: 'events.race', filters: { eventTypes: ['pit_exit'] } },
      { feedId: 'tire.stints' },
    ],
  },
  patchedFeed: { feedIds: ['events.race', 'lap.count'] },
  byPut: { feedId: 'lap.count', webhookMethod: 'put' },
} as const;

type Name = keyof typeof ENDPOINTS;

/** The endpoints above, all on one account. */
let customers: Record<Name, Customer>;
let user: ContractClient;
let custom: Customer;
let developer: Customer;
let free: Customer;
/** The statuses of the session in the calendar, in order. */
const statuses: string[] = [];
let untilItStarts: readonly string[];
/** What the user's account showed while the session was live. */
let meanwhile: { readonly runs: number; readonly slotsUsed: number; readonly prepare: number };
let updateCount: number;
/** The delivery log of the endpoint that gets everything. */
let log: readonly LogEntry[];
/** Endpoints whose attempts take seconds. They start in `before`, and their tests come last. */
let refusing: Customer;
let silent: Customer;

before(async () => {
  await planTheRace();
  await beginSlowAttempts();
  user = await service.client('custom');
  const names = Object.keys(ENDPOINTS) as Name[];
  const made = [];
  for (const name of names) made.push([name, await receiving(user, ENDPOINTS[name])]);
  customers = Object.fromEntries(made);
  const onlyPitExits = { filters: { eventTypes: ['pit_exit'] } };
  await user.call('PATCH', `/webhooks/${customers.patchedFeed.webhookId}/feeds/events.race`, onlyPitExits);
  [custom, developer, free] = [await customer('custom'), await customer('developer'), await customer('free')];

  const source = new OwnSource(service, SESSION, briefRace().map(withPlannedStart));
  const calendar = watchCalendar();
  await calendar.twice();
  await source.upTo(500);
  await calendar.twice();
  untilItStarts = statuses.slice();
  // One message at a time: each reaches its receivers before the next one is sent.
  for (let messages = 0; messages < 25; messages++) {
    await source.next();
    const updates = await arrived(customers.everything, source);
    assert.deepEqual(sequences(live(customers.everything, SESSION)), upTo(updates));
  }
  await calendar.shows('live');
  meanwhile = {
    runs: (await user.call('GET', '/simulate/runs')).body.data.total,
    slotsUsed: (await user.call('GET', '/simulate/quota')).body.used,
    prepare: (await user.call('POST', '/simulate/prepare', { sessionId: SESSION })).status,
  };
  await source.upTo();
  await calendar.shows('finished');
  updateCount = await arrived(customers.everything, source);
  await source.end();
  await settled(SESSION);
  log = await deliveryLog(user, customers.everything.webhookId);
  await calendar.twice();
  await calendar.end();
});

/** Polls the calendar and records each change of the session's status. */
function watchCalendar() {
  let looks = 0;
  let watching = true;
  const look = async (): Promise<void> => {
    while (watching) {
      const { events } = (await custom.client.call('GET', '/events')).body.data;
      const { status } = events[0].sessions[1];
      if (status !== statuses.at(-1)) statuses.push(status);
      looks++;
      await pause(50);
    }
  };
  const looking = look();
  return {
    shows: (status: string) => eventually(`${SESSION} is ${status}`, () => statuses.at(-1) === status),
    /** Waits for two polls, so that the second one started after this call. */
    async twice(): Promise<void> {
      const seen = looks;
      await eventually('two more polls', () => looks >= seen + 2);
    },
    async end(): Promise<void> {
      watching = false;
      await looking;
    },
  };
}

/** A race that is planned to start in an hour, and a qualifying session that was yesterday. */
async function planTheRace(): Promise<void> {
  const path = join(dataDir, 'Index.json');
  const Sessions = ['Qualifying', 'Race'].map((Type, index) => ({
    Type,
    Name: Type,
    StartDate: `2026-05-0${index + 2}T15:00:00`,
    EndDate: `2026-05-0${index + 2}T17:00:00`,
    GmtOffset: '02:00:00',
  }));
  const Circuit = { Key: 1, ShortName: 'Monte Carlo' };
  const Meetings = [{ Number: 1, Name: 'Monaco Grand Prix', Location: 'Monte Carlo', Circuit, Sessions }];
  writeFileSync(path, JSON.stringify({ Year: 2026, Meetings }));
  await admin(['import', 'calendar', path]);
  await sql`update calendar_session set start_at = now() - interval '1 day', end_at = now() - interval '23 hours'
    where session_id = '2026-monaco-qualifying'`;
  await sql`update calendar_session set start_at = ${PLANNED}, end_at = ${PLANNED}::timestamptz + interval '2 hours'
    where session_id = ${SESSION}`;
}

function withPlannedStart(message: Message): Message {
  if (message.topic !== 'SessionInfo') return message;
  return { ...message, data: { ...(message.data as object), StartDate: PLANNED.slice(0, -1), GmtOffset: '00:00:00' } };
}

/**
 * A session with an event that no other session has, for two receivers: one refuses it twice, the other does not answer the
 * first attempt.
 */
async function beginSlowAttempts(): Promise<void> {
  const interruption = { feedId: 'events.race', filters: { eventTypes: ['session_aborted'] } };
  refusing = await customer('developer', interruption);
  silent = await customer('developer', interruption);
  refusing.receiver.answer(404);
  silent.receiver.answer(null);
  const source = new OwnSource(service, '2026-aborted-race', [
    briefRace()[0]!,
    status(100, 'Inactive'),
    status(200, 'Started'),
    status(300, 'Aborted'),
  ]);
  await source.upTo();
  await eventually('the first attempt', () => silent.receiver.received.length === 1);
  silent.receiver.answer(204);
  await eventually('the second attempt', () => refusing.receiver.received.length === 2);
  refusing.receiver.answer(200);
  await source.end();
}

test('Delivery rule 1: every matching event of a live session is sent once, as JSON, by POST, and attempts start in order', () => {
  assert.ok(updateCount > 250);
  for (const everything of [customers.everything, custom]) {
    const came = live(everything, SESSION);
    assert.deepEqual(sequences(came), upTo(updateCount), 'everything arrived, and nothing twice');
    for (const { method, headers, attempt } of came) {
      assert.deepEqual([method, headers['content-type'], attempt], ['POST', 'application/json', 1]);
    }
  }
  const starts = log.toSorted((a, b) => a.sequence - b.sequence).map(({ createdAt }) => createdAt);
  assert.equal(starts.length, updateCount);
  for (const [index, start] of starts.slice(1).entries()) {
    assert.ok(start >= starts[index]!, `sequence ${index + 2} started before ${index + 1}`);
  }
});

test('Delivery rule 1: an endpoint whose method is put gets its deliveries by PUT', () => {
  const laps = live(customers.everything, SESSION).filter(({ feed }) => feed === 'lap.count');
  const came = live(customers.byPut, SESSION);
  assert.deepEqual(sequences(came), sequences(laps));
  assert.ok(came.every(({ method }) => method === 'PUT'));
});

test('Delivery headers: every live delivery carries the feed, mode live and the signature, and no replay headers', () => {
  for (const { headers, body } of live(customers.everything, SESSION)) {
    assert.equal(headers['x-service-feed'], payloadOf({ body }).feed);
    assert.equal(headers['x-service-mode'], 'live');
    assert.match(String(headers['x-service-signature']), /^sha256=[0-9a-f]{64}$/);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('x-service-replay')),
      [],
    );
  }
  const ids = live(customers.everything, SESSION).map(({ headers }) => headers['x-service-delivery-id']);
  assert.equal(new Set(ids).size, updateCount, 'each update has its own delivery id');
});

test("Signature: every tier signs the raw bytes with the endpoint's secret, also in the form of Standard Webhooks", () => {
  for (const signed of [free, customers.everything, custom]) {
    const came = live(signed, SESSION);
    assert.ok(came.length > 90);
    for (const { headers, body } of came) {
      const expected = `sha256=${createHmac('sha256', signed.secret).update(Buffer.from(body)).digest('hex')}`;
      assert.ok(timingSafeEqual(Buffer.from(String(headers['x-service-signature'])), Buffer.from(expected)));
      new Webhook(signed.secret).verify(body, headers as Record<string, string>);
    }
    const message = came.find(({ feed }) => feed === 'race-control.messages')!;
    assert.ok(message.body.includes('—'), 'a body with more bytes than characters');
    const forged = message.body.replace('—', '-');
    assert.throws(() => new Webhook(signed.secret).verify(forged, message.headers as Record<string, string>));
  }
});

/** The sequences of the updates of a feed that should have arrived. */
function expected(feed: string, passes: (payload: Payload) => boolean = () => true): number[] {
  const found = live(customers.everything, SESSION).map(payloadOf);
  const passing = sequences(found.filter((payload) => payload.feed === feed && passes(payload)));
  assert.ok(passing.length > 0, 'the session has such updates');
  return passing;
}

const cameTo = (name: Name, feed?: string): Payload[] =>
  live(customers[name], SESSION)
    .map(payloadOf)
    .filter((payload) => feed === undefined || payload.feed === feed)
    .toSorted((a, b) => a.sequence - b.sequence);
const touching =
  (...codes: string[]) =>
  (payload: Payload) =>
    payload.drivers!.some(({ tla }) => codes.includes(tla));

test('Filters in a live session: drivers, driverNumbers and constructors select their cars; constructors match in any case, with or without a space', () => {
  const two = expected('timing.data', touching('HER', 'FOX'));
  assert.deepEqual(sequences(cameTo('drivers')), two);
  assert.deepEqual(sequences(cameTo('driverNumbers')), two);
  const codes = CARS.filter(({ team }) => team !== 'Red Kite Racing').map(({ tla }) => tla);
  assert.deepEqual(sequences(cameTo('constructors')), expected('timing.data', touching(...codes)));
});

test('Filters in a live session: the positions window follows the order of the race, and rule 1: keys combine with AND', () => {
  const second = (payload: Payload) => payload.drivers!.some(({ position }) => position === 2);
  assert.deepEqual(sequences(cameTo('positions')), expected('timing.data', second));
  const inWindow = cameTo('positions').flatMap(({ drivers }) => drivers!.filter(({ position }) => position === 2));
  assert.deepEqual(new Set(inWindow.map(({ tla }) => tla)), new Set(['KAT', 'FAX']));
  const kite = (payload: Payload) =>
    payload.drivers!.some(({ team, position }) => team === 'Red Kite Racing' && position >= 2 && position <= 3);
  assert.deepEqual(sequences(cameTo('teamInWindow')), expected('timing.data', kite));
});

test('Filters in a live session: eventTypes delivers only those race events', () => {
  assert.deepEqual(
    cameTo('eventTypes').map(({ event }) => event),
    ['pit_entry', 'pit_entry', 'session_end'],
  );
});

test('Filters rule 4 in a live session: endpoint-wide filters apply to every feed; subscriptions and PATCH set filters per feed', () => {
  for (const feed of ['timing.data', 'events.race']) {
    assert.deepEqual(sequences(cameTo('endpointWide', feed)), expected(feed, touching('HAN')));
  }
  assert.deepEqual(sequences(cameTo('endpointWide', 'lap.count')), expected('lap.count'));
  assert.deepEqual(sequences(cameTo('perFeed', 'timing.data')), expected('timing.data', touching('FAX')));
  assert.deepEqual(sequences(cameTo('perFeed', 'tire.stints')), expected('tire.stints'));
  const exits = expected('events.race', ({ event }) => event === 'pit_exit');
  assert.deepEqual(sequences(cameTo('perFeed', 'events.race')), exits);
  assert.deepEqual(sequences(cameTo('patchedFeed', 'events.race')), exits);
  assert.deepEqual(sequences(cameTo('patchedFeed', 'lap.count')), expected('lap.count'));
});

test('Feed access in a live session: `*` means the free feeds on Free, all but analytics on Developer, and all feeds on Custom', async () => {
  const { feeds } = (await user.call('GET', '/feeds')).body.data;
  const available = new Map(feeds.map((feed: Record<string, string>) => [feed.feedId, feed.availability]));
  const all = live(customers.everything, SESSION);
  for (const [customer, open] of [
    [free, ['free']],
    [developer, ['free', 'live']],
    [custom, ['free', 'live', 'analytics']],
  ] as const) {
    const included = all.filter(({ feed }) => (open as readonly unknown[]).includes(available.get(feed)));
    assert.deepEqual(sequences(live(customer, SESSION)), sequences(included));
    assert.deepEqual(new Set(included.map(({ feed }) => available.get(feed))), new Set(open));
  }
});

test('GET /events: a session is upcoming until it starts, live even if it was planned for later, then finished for good', () => {
  assert.deepEqual(untilItStarts, ['upcoming'], 'even when messages have already arrived');
  assert.deepEqual(statuses, ['upcoming', 'live', 'finished']);
});

test('Delivery rule 4: each live attempt is logged with mode live and counts in usage, and log, usage and receivers agree', async () => {
  let received = 0;
  let logged = 0;
  for (const { client, webhookId, receiver } of Object.values(customers)) {
    const log = await deliveryLog(client, webhookId);
    for (const entry of log) {
      assert.deepEqual(
        [entry.webhookId, entry.mode, entry.statusCode, entry.responseBody, entry.attempt],
        [webhookId, 'live', 200, 'thanks', 1],
      );
      assert.match(entry.logId, /^log_/);
      assert.ok(entry.latencyMs > 0);
      assert.equal(new Date(entry.createdAt).toISOString(), entry.createdAt);
    }
    assert.equal(log.length, receiver.received.length);
    received += receiver.received.length;
    logged += log.length;
  }
  const { deliveryCount, successCount, failureCount, skippedCount } = await usageOf({ client: user });
  assert.deepEqual([deliveryCount, successCount, failureCount, skippedCount], [received, logged, 0, 0]);
});

test('Usage of live deliveries: by-feed counts what each feed delivered, and latency runs from detection to acknowledgement', async () => {
  const all = Object.values(customers).flatMap(({ receiver }) => receiver.received.map(({ feed }) => feed));
  const counts = Object.entries(Object.groupBy(all, (feed) => feed)).map(([feed, of]) => [feed, of!.length]);
  const byFeed = (await usageOf({ client: user }, '/by-feed')).byFeed as { feedId: string; deliveryCount: number }[];
  assert.deepEqual(byFeed.map(({ feedId, deliveryCount }) => [feedId, deliveryCount]).toSorted(), counts.toSorted());
  const latency = (await usageOf({ client: user }, '/latency')).byFeed;
  for (const { feedId, p50, p95, p99, sampleCount } of latency) {
    assert.equal(sampleCount, counts.find(([feed]) => feed === feedId)![1]);
    assert.ok(0 < p50 && p50 <= p95 && p95 <= p99 && p99 < 10_000, `${feedId} ${p50} ${p95} ${p99}`);
  }
});

test('A live session is not a replay: it has no run, takes no slot, cannot be prepared while it is live, and cannot be stopped by its id', async () => {
  assert.deepEqual(meanwhile, { runs: 0, slotsUsed: 0, prepare: 404 });
  const [run] =
    await sql`select run_id as "runId" from run where mode = 'live' and account_id = ${user.accountId} limit 1`;
  for (const [method, path] of [
    ['GET', `/simulate/runs/${run!.runId}`],
    ['DELETE', `/simulate/stream?runId=${run!.runId}`],
  ] as const) {
    const { status, body } = await user.call(method, path);
    assert.deepEqual([status, body.code], [404, 'not_found'], method);
  }
});

test('A live session can be replayed once it has ended: the same bodies with mode replay and the replay headers, and it takes a slot', async () => {
  const { sessions } = (await custom.client.call('GET', '/simulate/sessions')).body.data;
  const listed = sessions.find(({ sessionId }: { sessionId: string }) => sessionId === SESSION);
  assert.deepEqual([listed.updateCount, listed.unlocked], [updateCount, false]);
  await prepare(custom.client, SESSION);
  const runId = await replay(custom.client, SESSION);
  await endedRun(custom.client, runId);
  const replayed = custom.receiver.received.filter(({ headers }) => headers['x-service-mode'] === 'replay');
  const bodies = (of: readonly Received[]): string[] =>
    of.toSorted((a, b) => a.sequence - b.sequence).map(({ body }) => body);
  assert.deepEqual(bodies(replayed), bodies(live(custom, SESSION)));
  for (const { headers } of replayed) {
    assert.equal(headers['x-service-replay-session'], SESSION);
    assert.equal(headers['x-service-replay-run-id'], runId);
    assert.equal(headers['x-service-replay-speed'], '10');
  }
  const ids = (of: readonly Received[]) => of.map(({ headers }) => String(headers['x-service-delivery-id']));
  assert.equal(new Set([...ids(replayed), ...ids(live(custom, SESSION))]).size, 2 * updateCount);
  const { used, unlocked } = (await custom.client.call('GET', '/simulate/quota')).body;
  assert.deepEqual([used, unlocked], [1, [SESSION]]);
  const runs = (await custom.client.call('GET', '/simulate/runs')).body.data.runs;
  assert.deepEqual(
    runs.map((run: { runId: string }) => run.runId),
    [runId],
  );
});

/** Sends a part of a session. Returns its updates, in order, once a customer of all feeds has them. */
async function part(source: OwnSource, everything: Customer, untilMs?: number): Promise<Payload[]> {
  const known = live(everything, source.sessionId).length;
  await source.upTo(untilMs);
  const updates = await arrived(everything, source);
  const came = live(everything, source.sessionId).map(payloadOf);
  const received = came.filter(({ sequence }) => sequence > known).toSorted((a, b) => a.sequence - b.sequence);
  assert.equal(received.length, updates - known);
  assert.ok(received.length > 10, 'something happens in this part');
  return received;
}

/** Waits until exactly these updates of a session have arrived. */
async function came(to: Customer, { sessionId }: OwnSource, wanted: readonly Payload[]): Promise<void> {
  await eventually(`${wanted.length} deliveries`, () => live(to, sessionId).length >= wanted.length);
  assert.deepEqual(sequences(live(to, sessionId)), sequences(wanted));
}

const about = (code: string, payloads: readonly Payload[]): Payload[] =>
  payloads.filter((payload) => payload.feed === 'timing.data' && touching(code)(payload));
const laps = (payloads: readonly Payload[]): Payload[] => payloads.filter(({ feed }) => feed === 'lap.count');

test('States during a live session: a paused endpoint gets nothing, also not later; resumed, it keeps its configuration; deleted, it gets nothing', async (t) => {
  const client = await service.client('custom');
  const everything = await receiving(client, { feedIds: ['*'] });
  const changed = await receiving(client, { feedIds: ['timing.data', 'lap.count'], filters: { drivers: ['HER'] } });
  forThisTest(t, everything);
  const path = `/webhooks/${changed.webhookId}`;
  const patch = async (active: boolean) => (await client.call('PATCH', path, { active })).body.data;
  const source = new OwnSource(service, '2026-states-race');

  const first = await part(source, everything, 5_000);
  await came(changed, source, [...about('HER', first), ...laps(first)]);
  const paused = await patch(false);
  assert.equal(paused.active, false);
  const second = await part(source, everything, 9_000);
  const resumed = await patch(true);
  // Attempts that were under way when it was paused still count in its health.
  const moving = { updatedAt: null, health: null };
  assert.deepEqual({ ...resumed, ...moving }, { ...paused, active: true, ...moving }, 'the configuration is kept');
  const third = await part(source, everything, 13_000);
  const matching = [first, third].flatMap((received) => [...about('HER', received), ...laps(received)]);
  await came(changed, source, matching);
  assert.deepEqual((await client.call('DELETE', path)).body.data, { webhookId: changed.webhookId, deleted: true });
  await part(source, everything);
  await source.end();
  await settled(source.sessionId);
  await came(changed, source, matching);
  assert.equal((await client.call('PATCH', path, { active: true })).status, 404);
  assert.equal((await deliveryLog(client, changed.webhookId)).length, matching.length, 'the logs are kept');
  const { deliveryCount, skippedCount } = await usageOf({ client });
  assert.equal(deliveryCount, matching.length + everything.receiver.received.length);
  assert.equal(skippedCount, [...about('HER', second), ...laps(second)].length, 'what was due while it was paused');
});

test('Changes of secret, filters, a single feed, method and URL during a live session apply from the next delivery', async (t) => {
  const client = await service.client('custom');
  const everything = await receiving(client, { feedIds: ['*'] });
  const changed = await receiving(client, { feedIds: ['timing.data', 'lap.count'], filters: { drivers: ['HER'] } });
  const moved = { ...changed, receiver: await startWebhookReceiver() };
  opened.push(moved.receiver);
  forThisTest(t, everything);
  forThisTest(t, changed);
  const path = `/webhooks/${changed.webhookId}`;
  const source = new OwnSource(service, '2026-changes-race');
  const sofar: Payload[] = [];
  const wait = async (...matching: readonly Payload[][]): Promise<void> => {
    sofar.push(...matching.flat());
    await came(changed, source, sofar);
  };

  let received = await part(source, everything, 3_000);
  await wait(about('HER', received), laps(received));
  assert.equal(changed.receiver.wronglySigned(changed.secret), 0);
  const { webhookSecret } = (await client.call('POST', `${path}/rotate-secret`)).body.data;
  received = await part(source, everything, 6_000);
  const before = sofar.length;
  await wait(about('HER', received), laps(received));
  const later = live(changed, source.sessionId).slice(before);
  assert.equal(
    changed.receiver.wronglySigned(webhookSecret),
    before,
    'each delivery after the response is signed with the new secret',
  );
  for (const { headers, body } of later) new Webhook(webhookSecret).verify(body, headers as Record<string, string>);

  await client.call('PATCH', path, { filters: { drivers: ['FOX'] } });
  received = await part(source, everything, 9_000);
  await wait(about('FOX', received), laps(received));
  await client.call('PATCH', `${path}/feeds/lap.count`, { active: false });
  received = await part(source, everything, 12_000);
  await wait(about('FOX', received));
  await client.call('PATCH', `${path}/feeds/timing.data`, { filters: { positions: { min: 5 } } });
  received = await part(source, everything, 15_000);
  const behind = (payload: Payload) => payload.drivers!.some(({ tla, position }) => tla === 'FOX' && position >= 5);
  await wait(about('FOX', received).filter(behind));
  await client.call('PATCH', path, { webhookMethod: 'put', webhookUrl: moved.receiver.url });
  received = await part(source, everything);
  await came(moved, source, about('FOX', received).filter(behind));
  assert.ok(moved.receiver.received.length > 5);
  assert.ok(moved.receiver.received.every(({ method }) => method === 'PUT'));
  assert.ok(changed.receiver.received.every(({ method }) => method === 'POST'));
  await source.end();
  await settled(source.sessionId);
  await came(changed, source, sofar);
});

test('An endpoint that is created during a live session gets the updates from then on', async (t) => {
  const everything = await customer('custom');
  forThisTest(t, everything);
  const source = new OwnSource(service, '2026-newcomer-race');
  await part(source, everything, 8_000);
  const second = await receiving(everything.client, { feedIds: ['*'] });
  forThisTest(t, second);
  const other = await customer('custom');
  forThisTest(t, other);
  const rest = await part(source, everything);
  await source.end();
  await settled(source.sessionId);
  await came(second, source, rest);
  await came(other, source, rest);
});

test('drivers and constructors are resolved by the driver list of their own session, even when two sessions are live at once', async (t) => {
  const client = await service.client('custom');
  const everything = await receiving(client, { feedIds: ['*'] });
  const kite = await receiving(client, { feedId: 'timing.data', filters: { constructors: ['red kite'] } });
  const fox = await receiving(client, { feedId: 'timing.data', filters: { drivers: ['FOX'] } });
  for (const endpoint of [everything, kite, fox]) forThisTest(t, endpoint);
  const usual = new OwnSource(service, '2026-usual-race');
  const swapped = new OwnSource(service, '2026-swapped-race', briefRace().map(withCarsTheOtherWayRound));
  const numbers = new Map<string, Set<string>>();
  for (const untilMs of [5_000, 10_000, 15_000, undefined]) {
    for (const source of [usual, swapped]) await part(source, everything, untilMs);
  }
  for (const source of [usual, swapped]) {
    const timing = live(everything, source.sessionId)
      .map(payloadOf)
      .filter(({ feed }) => feed === 'timing.data');
    const ofKite = (payload: Payload) => payload.drivers!.some(({ team }) => team === 'Red Kite Racing');
    await came(kite, source, timing.filter(ofKite));
    await came(fox, source, timing.filter(touching('FOX')));
    // The first update is about all cars.
    const alone = live(fox, source.sessionId).filter(({ body }) => payloadOf({ body }).drivers!.length === 1);
    numbers.set(source.sessionId, new Set(alone.map(({ body }) => /"number":"(\d+)"/.exec(body)![1]!)));
    await source.end();
  }
  assert.deepEqual(
    [...numbers.values()],
    [new Set(['31']), new Set(['12'])],
    'the same code means a different car in each session',
  );
  await settled(usual.sessionId);
  await settled(swapped.sessionId);
});

/** Reverses the drivers: the first car gets the last driver of the list, and so on. */
function withCarsTheOtherWayRound(message: Message): Message {
  if (message.topic !== 'DriverList') return message;
  const cars = Object.entries(message.data as Record<string, Record<string, unknown>>);
  const data = cars.map(([number], index) => {
    const [, driver] = cars[cars.length - 1 - index]!;
    return [number, { ...driver, RacingNumber: number }];
  });
  return { ...message, data: Object.fromEntries(data) };
}

test('Events rule 4: a replay and a live session can deliver to one endpoint at once; mode and run id tell them apart', async (t) => {
  const everything = await customer('custom');
  forThisTest(t, everything);
  const { client, receiver } = everything;
  await prepare(client, BRIEF_SESSION);
  const source = new OwnSource(service, '2026-beside-race');
  await part(source, everything, 5_000);
  const stream = `/simulate/stream?session=${BRIEF_SESSION}&speed=4&sinks=webhook`;
  const started = await client.call('GET', stream);
  assert.equal(started.status, 202, 'a live session does not block a replay');
  const { runId } = started.body.data;
  const again = await client.call('GET', stream);
  assert.deepEqual([again.status, again.body.code], [409, 'replay_running'], 'another replay blocks it');
  const replayed = () => receiver.received.filter(({ headers }) => headers['x-service-mode'] === 'replay');
  for (const untilMs of [8_000, 12_000, 16_000]) {
    const sofar = replayed().length;
    await part(source, everything, untilMs);
    await eventually('more deliveries of the replay', () => replayed().length > sofar);
  }
  await part(source, everything);
  await source.end();
  const run = await runOnce(client, runId, () => true);
  assert.equal(run.state, 'running', 'the replay ran all the time');
  const { endpoints } = await endedRun(client, runId);
  await settled(source.sessionId);
  assert.equal(replayed().length, endpoints[0]!.delivered);
  for (const { headers, body } of replayed()) {
    assert.equal(payloadOf({ body }).sessionId, BRIEF_SESSION);
    assert.equal(headers['x-service-replay-run-id'], runId);
  }
  const lives = live(everything, source.sessionId);
  assert.equal(lives.length + replayed().length, receiver.received.length);
  assert.ok(lives.every(({ headers }) => headers['x-service-replay-run-id'] === undefined));
  const modes = (await deliveryLog(client, everything.webhookId)).map(({ mode }) => mode);
  assert.equal(modes.filter((mode) => mode === 'live').length, lives.length);
  assert.equal(modes.filter((mode) => mode === 'replay').length, replayed().length);
});

test('Delivery rule 5: on Free, live deliveries past the monthly bucket are skipped and counted, and the user gets a mail', async (t) => {
  const client = await service.client('free');
  const { accountId, email } = client;
  await sql`insert into usage (account_id, month, feed_id, attempts, succeeded)
    values (${accountId}, date_trunc('month', now() at time zone 'utc')::date, 'lap.count', 4980, 4980)`;
  const poor = await receiving(client, { feedIds: ['*'] });
  const everything = await customer('custom');
  forThisTest(t, poor);
  forThisTest(t, everything);
  const source = new OwnSource(service, '2026-bucket-race');
  await part(source, everything);
  await source.end();
  await settled(source.sessionId);
  assert.equal(poor.receiver.received.length, 20);
  const matching = live(free, source.sessionId).length;
  assert.ok(matching > 90, 'another account on Free gets everything');
  const { deliveryCount, skippedCount } = await usageOf(poor);
  assert.deepEqual([deliveryCount, skippedCount], [5_000, matching - 20]);
  await eventually('the mail', () =>
    mails.some(({ to, text }) => to === email && /^Subject: .*included deliveries are used/m.test(text)),
  );
});

test('A change of plan during a live session: after a downgrade free feeds continue, and after an upgrade `*` includes more feeds', async (t) => {
  const [up, down, everything] = [await customer('free'), await customer('developer'), await customer('custom')];
  for (const endpoint of [up, down, everything]) forThisTest(t, endpoint);
  const source = new OwnSource(service, '2026-plans-race');
  const first = await part(source, everything, 10_000);
  const { feeds } = (await user.call('GET', '/feeds')).body.data;
  const available = new Map(feeds.map((feed: Record<string, string>) => [feed.feedId, feed.availability]));
  const onFree = (payloads: readonly Payload[]) => payloads.filter(({ feed }) => available.get(feed) === 'free');
  const onDeveloper = (payloads: readonly Payload[]) =>
    payloads.filter(({ feed }) => available.get(feed) !== 'analytics');
  await came(up, source, onFree(first));
  await came(down, source, onDeveloper(first));
  const putOn = async ({ client }: Customer, plan: Plan): Promise<void> => {
    await admin(['account', 'plan', client.email, plan]);
    await eventually(`the plan ${plan}`, async () => {
      const { endpoints } = (await client.call('GET', '/webhooks')).body.data;
      return endpoints[0].subscriptionTier === plan;
    });
  };
  await Promise.all([putOn(up, 'developer'), putOn(down, 'free')]);
  const rest = await part(source, everything);
  await source.end();
  await settled(source.sessionId);
  await came(up, source, [...onFree(first), ...onDeveloper(rest)]);
  await came(down, source, [...onDeveloper(first), ...onFree(rest)]);
});

test('Filters rule 2: filters are evaluated before each attempt, so a change also decides about the retry of a live delivery', async (t) => {
  const [endpoint, everything] = [
    await customer('developer', { feedId: 'tire.stints', filters: { drivers: ['KIT'] } }),
    await customer('custom'),
  ];
  forThisTest(t, endpoint);
  forThisTest(t, everything);
  endpoint.receiver.answer(500);
  const source = new OwnSource(service, '2026-retries-race');
  // Retries start a second later. The change must be made before them, so it does not wait for the other deliveries.
  const all = part(source, everything);
  await eventually('both first attempts', () => endpoint.receiver.received.length === 2);
  const path = `/webhooks/${endpoint.webhookId}`;
  assert.equal((await endpoint.client.call('PATCH', path, { filters: { drivers: ['FOX'] } })).status, 200);
  endpoint.receiver.answer(200);
  await all;
  await source.end();
  await settled(source.sessionId);
  // The first update shows the tires of all six cars and still matches; the second one is about KIT alone.
  const { deliveryCount, successCount, failureCount, skippedCount } = await usageOf(endpoint);
  assert.deepEqual([deliveryCount, successCount, failureCount, skippedCount], [3, 1, 2, 1]);
});

test('Many failures pause an endpoint only in a replay: in a live session every event still gets its attempts', async (t) => {
  const [failing, everything] = [await customer('developer', { feedId: 'lap.count' }), await customer('custom')];
  forThisTest(t, failing);
  forThisTest(t, everything);
  failing.receiver.answer(429);
  const source = new OwnSource(service, '2026-failing-race');
  const received = laps(await part(source, everything));
  assert.ok(received.length > 60);
  const first = () => failing.receiver.received.filter(({ attempt }) => attempt === 1);
  await eventually('a first attempt of each', () => first().length >= received.length);
  failing.receiver.answer(200);
  await source.end();
  await settled(source.sessionId);
  const { successCount, skippedCount } = await usageOf(failing);
  assert.deepEqual([successCount, skippedCount], [received.length, 0]);
  assert.deepEqual(sequences(first()), sequences(received), 'each update has one first attempt');
});

test('Delivery rule 3 in a live session: attempts start at once, after 1 second and after 5; usage counts each, and latency covers all of them', async () => {
  const { receiver, webhookId, client } = refusing;
  await eventually('the third attempt', () => receiver.received.length === 3, 30_000);
  const times = receiver.received.map(({ atMs }) => atMs);
  assert.deepEqual(
    receiver.received.map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  // Retries are never early. How late they are depends on the load of the machine.
  assert.ok(times[1]! - times[0]! >= 980 && times[2]! - times[1]! >= 4_980, times.join());
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id'])).size, 1);
  const log = await eventually('three entries', async () => {
    const entries = await deliveryLog(client, webhookId);
    return entries.length === 3 && entries;
  });
  assert.deepEqual(
    log.map(({ statusCode, attempt, mode }) => [statusCode, attempt, mode]),
    [
      [200, 3, 'live'],
      [404, 2, 'live'],
      [404, 1, 'live'],
    ],
  );
  const { deliveryCount, successCount, failureCount } = await usageOf(refusing);
  assert.deepEqual([deliveryCount, successCount, failureCount], [3, 1, 2]);
  const [{ p50, sampleCount }] = (await usageOf(refusing, '/latency')).byFeed;
  assert.ok(sampleCount === 1 && p50 >= 5_900, `${p50} is from detection to acknowledgement, over all attempts`);
});

test('Delivery rule 2 in a live session: an attempt without a response within 10 seconds is retried, and any 2xx succeeds', async () => {
  const { receiver, webhookId, client } = silent;
  await eventually('the second attempt', () => receiver.received.length === 2, 30_000);
  await eventually('its entry', async () => (await deliveryLog(client, webhookId)).length === 2);
  const [second, first] = await deliveryLog(client, webhookId);
  assert.deepEqual([second!.statusCode, first!.statusCode, first!.mode], [204, null, 'live']);
  assert.ok(first!.latencyMs >= 10_000, String(first!.latencyMs));
  const { deliveryCount, successCount, failureCount } = await usageOf(silent);
  assert.deepEqual([deliveryCount, successCount, failureCount], [2, 1, 1]);
  const [{ p50, sampleCount }] = (await usageOf(silent, '/latency')).byFeed;
  assert.ok(sampleCount === 1 && p50 >= 10_900, `${p50} is from detection to acknowledgement, over both attempts`);
});
