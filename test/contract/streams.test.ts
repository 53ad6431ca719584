// GET /stream: updates as server-sent events, live and recorded, from any place.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, EventSource } from 'undici';
import { startChromium } from '#bench/browser/chromium.ts';
import { breakingProxy } from '#test/client/breaking-proxy.ts';
import { BRIEF_SESSION, importBothSessions, OTHER_SESSION } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { type EventStream, openStream } from './event-stream.ts';
import { IN_SEASON, prepare } from './short-session.ts';
import { BEHIND_PROXY, grantOf, member } from './visitor.ts';
import { webhookBodies } from './webhook-bodies.ts';

const service = await contractService(
  { after },
  { ...IN_SEASON, ...BEHIND_PROXY, ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' },
  importBothSessions,
);
const address = service.baseUrl.replace('/v1', '');
const open = (client: ContractClient, query: string, lastEventId = ''): Promise<EventStream> =>
  openStream(address, client.token, query, lastEventId);
const upTo = (count: number, first = 1): number[] => Array.from({ length: count - first + 1 }, (_, i) => first + i);

before(async () => {
  const client = await service.client('custom');
  for (const sessionId of [BRIEF_SESSION, 'demo-race']) await prepare(client, sessionId);
});

test('a recorded session comes whole, in order, byte for byte as webhooks get it, and ends', async (t) => {
  const client = await service.client('custom');
  const bodies = await webhookBodies(t, client, BRIEF_SESSION);
  const stream = await open(client, `session=${BRIEF_SESSION}`);
  await stream.ended();
  assert.equal(stream.status, 200);
  assert.deepEqual(stream.sequences(), upTo(bodies.length));
  assert.equal(stream.end()?.code, 'completed');
  assert.ok(stream.events.every(({ event, data }) => event === 'stream' || JSON.parse(data).feed === event));
  assert.deepEqual(stream.bodies(), bodies);
  const again = await open(client, `session=${BRIEF_SESSION}`, stream.lastId());
  assert.equal(again.status, 204);
});

test('a stream continues after any id, and after a sequence', async () => {
  const client = await service.client('custom');
  const whole = await open(client, `session=${BRIEF_SESSION}`);
  await whole.ended();
  const places = whole.events.filter(({ event }) => event !== 'stream');
  for (const index of [0, 1, 57, places.length - 1]) {
    const rest = await open(client, `session=${BRIEF_SESSION}`, places[index]!.id);
    await rest.ended();
    assert.deepEqual(rest.bodies(), whole.bodies().slice(index + 1));
  }
  const after60 = await open(client, `session=${BRIEF_SESSION}&after=60`);
  await after60.ended();
  assert.deepEqual(after60.bodies(), whole.bodies().slice(60));
});

/** Runs in a page, too. Resolves with the updates once the source comes back no more. */
function seenBy(source: Pick<EventSource, 'addEventListener' | 'readyState'>, feeds: readonly string[]) {
  return new Promise<string[]>((resolve) => {
    const bodies: string[] = [];
    for (const feed of feeds)
      source.addEventListener(feed, (event) => bodies.push((event as unknown as { data: string }).data));
    source.addEventListener('error', () => {
      if (source.readyState === 2) resolve(bodies);
    });
  });
}

test('an EventSource, of a browser or from npm, shows every update once over a connection that breaks, and comes back no more at the end', async (t) => {
  const client = await service.client('custom');
  const authorization = `Bearer ${client.token}`;
  const whole = await open(client, `session=${BRIEF_SESSION}`);
  await whole.ended();
  const feeds = [...new Set(whole.events.map(({ event }) => event))].filter((event) => event !== 'stream');
  const inBrowser = async (): Promise<number> => {
    const proxy = await breakingProxy(t, service.baseUrl, [20_000]);
    const { browser, close } = await startChromium({ emulatesCard: false });
    t.after(close);
    const page = await browser.newPage({ extraHTTPHeaders: { authorization } });
    await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(`${proxy.baseUrl}/page`);
    const source = `new EventSource('/v1/stream?session=${BRIEF_SESSION}')`;
    assert.deepEqual(await page.evaluate(`(${seenBy})(${source}, ${JSON.stringify(feeds)})`), whole.bodies());
    return proxy.cuts();
  };
  const fromNpm = async (): Promise<number> => {
    const proxy = await breakingProxy(t, service.baseUrl, [20_000]);
    const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
      const headers = { ...(options.headers as Record<string, string>), authorization };
      return dispatch({ ...options, headers }, handler);
    });
    const source = new EventSource(`${proxy.baseUrl}/stream?session=${BRIEF_SESSION}`, { node: { dispatcher } });
    assert.deepEqual(await seenBy(source, feeds), whole.bodies());
    return proxy.cuts();
  };
  assert.deepEqual(await Promise.all([inBrowser(), fromNpm()]), [1, 1]);
});

test('feeds and filters are those of a webhook', async () => {
  const client = await service.client('custom');
  const whole = await open(client, `session=${BRIEF_SESSION}`);
  await whole.ended();
  const bodies = whole.bodies().map((body) => JSON.parse(body));
  const chosen = await open(client, `session=${BRIEF_SESSION}&feeds=lap.count,tire.*`);
  await chosen.ended();
  assert.deepEqual(
    chosen.sequences(),
    bodies.filter(({ feed }) => feed === 'lap.count' || feed.startsWith('tire.')).map(({ sequence }) => sequence),
  );
  const driver = await open(client, `session=${BRIEF_SESSION}&feeds=timing.data&drivers=her`);
  await driver.ended();
  const hers = bodies.filter(
    ({ feed, drivers }) => feed === 'timing.data' && drivers.some(({ tla }: { tla: string }) => tla === 'HER'),
  );
  assert.ok(hers.length > 0);
  assert.deepEqual(
    driver.sequences(),
    hers.map(({ sequence }) => sequence),
  );
});

test('a live session begins with the next update, or after a sequence; a client that comes back misses nothing', async () => {
  const client = await service.client('developer');
  const waiting = await open(client, 'session=live');
  const source = new OwnSource(service, '2026-silverstone-race');
  await source.upTo(20_000);
  await waiting.updates(5);
  const late = await open(client, 'session=2026-silverstone-race');
  const fromStart = await open(client, 'session=2026-silverstone-race&after=0');
  await fromStart.updates(waiting.sequences().length);
  assert.deepEqual(late.sequences(), []);
  const seen = waiting.lastId();
  waiting.leave();
  const count = waiting.sequences().length;
  await source.upTo();
  await source.end();
  await fromStart.ended();
  await late.ended();
  const back = await open(client, 'session=live', seen);
  await back.updates(fromStart.bodies().length - count);
  assert.deepEqual([...waiting.bodies(), ...back.bodies()], fromStart.bodies());
  assert.ok(late.bodies().length > 0);
  assert.deepEqual(late.bodies(), fromStart.bodies().slice(-late.bodies().length));
  back.leave();
});

test('the plan decides which feeds, how many streams and which sessions', async () => {
  const [free, developer] = [await service.client('free'), await service.client('developer')];
  const all = await open(free, `session=${BRIEF_SESSION}`);
  await all.ended();
  assert.deepEqual(
    new Set(all.events.map(({ event }) => event)),
    new Set(['stream', 'session.info', 'session.status', 'lap.count', 'race-control.messages']),
  );
  const closed = await open(developer, `session=${BRIEF_SESSION}&feeds=analytics.strategy`);
  assert.deepEqual([closed.status, closed.refusal?.code], [402, 'tier_required']);
  const first = await open(free, 'session=live');
  const second = await open(free, 'session=live');
  assert.deepEqual([second.status, second.refusal?.code], [429, 'stream_limit_reached']);
  first.leave();
  await eventually('room for a stream', async () => {
    const third = await open(free, 'session=live');
    third.leave();
    return third.status === 200;
  });
  const { body } = await free.call('GET', '/simulate/quota');
  assert.deepEqual(body.unlocked, [BRIEF_SESSION]);
});

test('every update sent counts against the month, those of the demo session do not', async () => {
  const client = await service.client('free');
  const demo = await open(client, 'session=demo-race&after=8000');
  await demo.ended();
  const session = await open(client, `session=${BRIEF_SESSION}`);
  await session.ended();
  const [ofDemo, ofSession] = [demo.bodies().length, session.bodies().length];
  assert.ok(ofDemo > 100 && ofSession > 5);
  await eventually('the usage', async () => {
    const { data } = (await client.call('GET', '/usage')).body;
    return data.streamedCount === ofDemo + ofSession && data.demoStreamedCount === ofDemo;
  });
});

test('a stream ends when the month has none left, and no other is opened', async () => {
  const client = await service.client('free');
  await service.sql`
    insert into usage (account_id, month, feed_id, attempts)
    values (${client.accountId}, date_trunc('month', now() at time zone 'utc'), 'timing.data', 4990)`;
  await service.sql`
    insert into usage (account_id, month, feed_id, streamed)
    values (${client.accountId}, date_trunc('month', now() at time zone 'utc'), 'lap.count', 7)`;
  const few = await open(client, `session=${BRIEF_SESSION}`);
  await few.ended();
  assert.equal(few.bodies().length, 3);
  assert.equal(few.end()?.code, 'monthly_limit');
  const none = await open(client, `session=${BRIEF_SESSION}`);
  assert.deepEqual([none.status, none.refusal?.code], [402, 'plan_limit_reached']);
});

test('a new secret ends the streams of the account within a second', async () => {
  const { cookie } = await member(service);
  const grant = await grantOf(service, cookie);
  const token: string = (await service.call('POST', '/oauth', grant)).body.access_token;
  const stream = await openStream(address, token, 'session=live');
  assert.equal(stream.status, 200);
  const startedMs = performance.now();
  const { status } = await service.call('POST', '/console/regenerate-secret', undefined, { cookie });
  assert.equal(status, 200);
  await stream.ended();
  assert.ok(performance.now() - startedMs < 1_000);
  assert.equal(stream.end()?.code, 'unauthorized');
});

test('what a stream cannot be is refused by name', async () => {
  const client = await service.client('developer');
  for (const [query, status, code, text, id] of [
    ['', 400, 'invalid_query', 'exactly one of session and run is required, and neither is given'],
    ['session=live&run=x', 400, 'invalid_query', 'exactly one of session and run is required, and both are given'],
    ['session=live&speed=2', 400, 'invalid_query', 'speed is not for session=live: live sessions have their own pace'],
    [
      'session=live&after=3',
      400,
      'invalid_query',
      'after is not for session=live: name one session, or send Last-Event-ID',
    ],
    ['run=nobody', 404, 'not_found', 'There is no such run: GET /v1/simulate/runs lists the replays.'],
    ['session=nobody-knows', 404, 'not_found', 'There is no such session: GET /v1/simulate/sessions lists them.'],
    [
      `session=${OTHER_SESSION}`,
      409,
      'not_prepared',
      'The session is not prepared: send POST /v1/simulate/prepare first.',
    ],
    [
      `session=${BRIEF_SESSION}&feeds=timing.dat`,
      400,
      'invalid_query',
      'feeds: there is no feed "timing.dat" (GET /v1/feeds lists them)',
    ],
    [
      `session=${BRIEF_SESSION}&drivers=Hamilton`,
      400,
      'invalid_filters',
      'filters.drivers[0] "Hamilton" is not a three-letter driver code',
    ],
    [
      `session=${BRIEF_SESSION}`,
      400,
      'invalid_query',
      'Last-Event-ID must be the id of an event of a stream: leave it out to begin anew.',
      '17',
    ],
  ] as const) {
    const stream = await open(client, query, id ?? '');
    assert.deepEqual([stream.status, stream.refusal?.code, stream.refusal?.error], [status, code, text], query);
  }
});
