import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import Type from 'typebox';
import { Dispatcher, type DispatcherOptions } from '#api/http/dispatcher.ts';
import { type Exchange, type HeaderList, headerOf } from '#api/http/exchange.ts';
import { bearerOperation, publicOperation, reply, sessionOperation } from '#api/http/operation.ts';
import { RequestMeter } from '#api/http/request-meter.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import type { Route } from '#api/http/router.ts';
import { listen } from '#api/http/uws-server.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  ACCOUNT_REQUESTS_MAX,
  ACCOUNT_TURNS_MAX,
  ADDRESS_BODIES_ARRIVING_MAX,
  ADDRESS_QUESTIONS_MAX,
  ADDRESS_QUESTIONS_WAITING_MAX,
  ADDRESS_REFUSALS_AT_ONCE_MAX,
  ADDRESS_REQUESTS_WAITING_MAX,
  REFUSAL_EVERY_MS,
  REQUESTS_LET_IN_MAX,
} from '#engine/base/limits.ts';
import { type Scope, until } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';
import { BEHIND_PROXY } from '#test/support/people.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const Ok = Type.Object({ ok: Type.Boolean() });

type Times = Pick<DispatcherOptions, 'clock' | 'deadlineMs'>;

function dispatcherOf(routes: readonly Route[], times: Times = {}): Dispatcher {
  const signedIn = async (header: string) => ({ accountId: header, plan: 'custom' as const });
  return new Dispatcher({
    routes,
    authenticate: (header) => () => signedIn(header),
    signedIn,
    quota: new RequestQuota(systemClock),
    log: silentLog,
    front: BEHIND_PROXY,
    ...times,
  });
}

async function serving(t: Scope, routes: readonly Route[], times: Times = {}): Promise<number> {
  const listening = await listen(dispatcherOf(routes, times), '127.0.0.1', 0);
  t.after(() => listening.close());
  return listening.port;
}

const HEADERS = ['host', 'x', 'authorization', 'Bearer nobody', 'x-request-id', 'mine'];

/** A request without a body and without a connection, of this address. */
class WaitingExchange implements Exchange {
  readonly method = 'GET';
  readonly path = '/';
  readonly query = '';
  readonly isPassedOn = false;
  readonly hasAmbiguousBody = false;
  readonly #address: string;
  headers: HeaderList = HEADERS;
  /** 0 until it is answered. */
  status = 0;
  answer: Record<string, string> = {};
  hasLeft = false;

  constructor(address: string) {
    this.#address = address;
  }

  get isWaiting(): boolean {
    return this.status === 0 && !this.hasLeft;
  }

  header(name: string): string {
    return headerOf(this.headers, name);
  }

  headerLines(name: string): string {
    return this.header(name);
  }

  keepHeaders(names: ReadonlySet<string>): void {
    this.headers = this.headers.filter((_, i) => names.has(this.headers[i - (i % 2)]!));
  }

  remoteAddress(): string {
    return this.#address;
  }

  respond(status: number, headers: HeaderList): void {
    this.status = status;
    this.answer = Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!]] : [])));
  }

  hangUp(): void {}

  giveUpBody(): void {}

  receiveBody(): never {
    throw new Error('it has no body');
  }

  respondWithEvents(): never {
    throw new Error('it gets no events');
  }
}

/** Sends the text unchanged and returns everything received until the server closes the connection. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

test('a request whose body does not arrive in time gets 408, and its connection is closed', async (t) => {
  const operation = publicOperation({ summary: 'Test', body: Type.Object({}), answer: Ok }, async () =>
    reply({ ok: true }),
  );
  const port = await serving(t, [{ method: 'POST', path: '/slow', operation }], { deadlineMs: 30 });
  const received = await exchange(port, 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  assert.match(received, /^HTTP\/1\.1 408 /);
  assert.match(received, /request_timeout/);
});

test('bodies that do not arrive in time leave room for others of their address', async (t) => {
  const operation = publicOperation({ summary: 'Test', body: Type.Object({}), answer: Ok }, async () =>
    reply({ ok: true }),
  );
  const port = await serving(t, [{ method: 'POST', path: '/', operation }], { deadlineMs: 200 });
  const slow = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{';
  await Promise.all(Array.from({ length: ADDRESS_BODIES_ARRIVING_MAX }, () => exchange(port, slow)));
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(response.status, 200);
});

test('a request that takes too long gets 503, and its late response is discarded', async (t) => {
  let finish = () => {};
  let finished = false;
  const operation = publicOperation({ summary: 'Test', answer: Ok }, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    finished = true;
    return reply({ ok: true });
  });
  const port = await serving(t, [{ method: 'GET', path: '/slow', operation }], { deadlineMs: 30 });
  const response = await fetch(`http://127.0.0.1:${port}/slow`);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '1');
  finish();
  await until(() => finished);
  assert.equal((await fetch(`http://127.0.0.1:${port}/other`)).status, 404);
});

test('a request that timed out is counted and logged once, under its operation', async (t) => {
  let finish = () => {};
  const operation = publicOperation({ summary: 'Test', answer: Ok }, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return reply({ ok: true });
  });
  const lines: object[] = [];
  const record = (details: object): void => void lines.push(details);
  const signedIn = async () => ({ accountId: 'acc', plan: 'free' as const });
  const dispatcher = new Dispatcher({
    routes: [{ method: 'GET', path: '/slow/:id', operation }],
    authenticate: () => signedIn,
    signedIn,
    quota: new RequestQuota(systemClock),
    log: { debug: record, info: record, warn: record, error: record },
    deadlineMs: 30,
  });
  const listening = await listen(dispatcher, '127.0.0.1', 0);
  t.after(() => listening.close());
  assert.equal((await fetch(`http://127.0.0.1:${listening.port}/slow/7`)).status, 503);
  const meter = RequestMeter.reading(dispatcher.meter.counts);
  assert.equal(meter.gauges.value('inProgress'), 1);
  finish();
  await dispatcher.idle();
  assert.equal(meter.gauges.value('inProgress'), 0);
  const { answers } = meter.route(0);
  assert.deepEqual(
    answers.names.map((name) => answers.value(name)),
    [0, 0, 0, 1],
  );
  assert.equal(lines.length, 1);
});

test('an event stream that opens after its client has disconnected gets its close callback', async (t) => {
  let begun = false;
  let proceed = () => {};
  let closed = false;
  const operation = publicOperation({ summary: 'Test', answer: Ok, startsSomething: true }, async () => {
    begun = true;
    await new Promise<void>((resolve) => {
      proceed = resolve;
    });
    return {
      kind: 'events' as const,
      open: (channel) => {
        channel.onClose(() => {
          closed = true;
        });
        assert.equal(channel.write(Buffer.from('data: 1\n\n')), true);
        channel.end();
      },
    };
  });
  const port = await serving(t, [{ method: 'GET', path: '/events', operation }]);
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n'));
  await until(() => begun);
  await new Promise((resolve) => socket.once('close', resolve).destroy());
  // After one round trip the service has seen the connection close.
  await fetch(`http://127.0.0.1:${port}/nothing`);
  proceed();
  await until(() => closed);
});

test('a path parameter is decoded and must not be empty', async (t) => {
  const answer = Type.Object({ name: Type.String() });
  const operation = publicOperation({ summary: 'Test', answer }, async ({ params }) => reply({ name: params.name! }));
  const port = await serving(t, [{ method: 'GET', path: '/things/:name', operation }]);
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  assert.deepEqual(await (await get('/things/a%2Fb%20c')).json(), { name: 'a/b c' });
  assert.equal((await get('/things/')).status, 404);
  assert.equal((await get('/things/%ff')).status, 404);
});

test('one account has a bounded number of requests in progress; others are served meanwhile', async (t) => {
  let waiting = 0;
  const { promise: finish, resolve: finishAll } = Promise.withResolvers<void>();
  const operation = bearerOperation({ summary: 'Test', answer: Ok }, async () => {
    waiting++;
    await finish;
    return reply({ ok: true });
  });
  const quick = bearerOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const port = await serving(t, [
    { method: 'GET', path: '/slow', operation },
    { method: 'GET', path: '/quick', operation: quick },
  ]);
  const get = (path: string, authorization: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
  const slow = Array.from({ length: ACCOUNT_REQUESTS_MAX }, () => get('/slow', 'greedy'));
  await until(() => waiting === ACCOUNT_REQUESTS_MAX);
  const refused = await get('/quick', 'greedy');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.match(((await refused.json()) as { error: string }).error, /requests in progress/);
  assert.equal((await get('/quick', 'modest')).status, 200);
  finishAll();
  assert.ok((await Promise.all(slow)).every(({ status }) => status === 200));
  assert.equal((await get('/quick', 'greedy')).status, 200);
});

test('one address has a bounded number of bodies arriving; those of others are read meanwhile', async (t) => {
  const operation = publicOperation({ summary: 'Test', body: Type.Object({}), answer: Ok }, async () =>
    reply({ ok: true }),
  );
  const port = await serving(t, [{ method: 'POST', path: '/', operation }]);
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: 9\r\n\r\n{';
  const sockets = Array.from({ length: ADDRESS_BODIES_ARRIVING_MAX }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  for (const socket of sockets) socket.write(head);
  const post = (address: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: '{}',
    });
  await until(async () => (await post('192.0.2.1')).status === 503);
  assert.equal((await post('192.0.2.2')).status, 200);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await post('192.0.2.1')).status === 200);
});

test('requests of unknown senders take turns by address; those of other addresses and known senders do not wait', async (t) => {
  const asked: string[] = [];
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const lookUp = async (name: string) => {
    asked.push(name);
    if (name.startsWith('slow')) await answered;
    return { accountId: name, plan: 'custom' as const };
  };
  const ok = async () => reply({ ok: true });
  const guess = publicOperation({ summary: 'Test', answer: Ok, takesTurns: true }, ok);
  const options = { signedIn: lookUp, quota: new RequestQuota(systemClock), log: silentLog, front: BEHIND_PROXY };
  const dispatcher = new Dispatcher({
    ...options,
    authenticate: (name) => (name === 'known' ? { accountId: name, plan: 'custom' } : () => lookUp(name)),
    routes: [
      { method: 'GET', path: '/bearer', operation: bearerOperation({ summary: 'Test', answer: Ok }, ok) },
      { method: 'GET', path: '/cookie', operation: sessionOperation({ summary: 'Test', answer: Ok }, ok) },
      { method: 'GET', path: '/public', operation: guess },
    ],
  });
  const listening = await listen(dispatcher, '127.0.0.1', 0);
  t.after(() => listening.close());
  const get = (address: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${listening.port}${path}`, { headers: { 'x-forwarded-for': address, ...headers } });
  const bearer = (address: string, authorization: string) => get(address, '/bearer', { authorization });
  const flood = Array.from({ length: ADDRESS_QUESTIONS_MAX + ADDRESS_QUESTIONS_WAITING_MAX }, (_, index) =>
    bearer('192.0.2.1', `slow ${index}`),
  );
  await until(async () => (await bearer('192.0.2.1', 'one too many')).status === 503);
  assert.equal(asked.length, ADDRESS_QUESTIONS_MAX);
  assert.equal((await get('192.0.2.1', '/public')).status, 503);
  assert.equal((await get('192.0.2.1', '/cookie', { cookie: 'session=x' })).status, 503);
  assert.equal((await bearer('192.0.2.1', 'known')).status, 200);
  for (const path of ['/bearer', '/cookie', '/public'])
    assert.equal((await get('192.0.2.2', path, { authorization: 'other', cookie: 'session=x' })).status, 200, path);
  answer();
  assert.ok((await Promise.all(flood)).every(({ status }) => status === 200));
  assert.equal((await get('192.0.2.1', '/public')).status, 200);
});

test('requests of one account for what few can have take turns; those of others do not wait for them', async (t) => {
  let under = 0;
  const { promise: finish, resolve: finishAll } = Promise.withResolvers<void>();
  const operation = bearerOperation({ summary: 'Test', answer: Ok, takesTurns: true }, async ({ caller }) => {
    under++;
    if (caller.accountId === 'greedy') await finish;
    return reply({ ok: true });
  });
  const quick = bearerOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const port = await serving(t, [
    { method: 'GET', path: '/slow', operation },
    { method: 'GET', path: '/quick', operation: quick },
  ]);
  const get = async (path: string, authorization: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })).status;
  const slow = Array.from({ length: ACCOUNT_TURNS_MAX + 3 }, () => get('/slow', 'greedy'));
  await until(() => under === ACCOUNT_TURNS_MAX);
  assert.equal(await get('/quick', 'greedy'), 200);
  assert.equal(await get('/slow', 'modest'), 200);
  assert.equal(under, ACCOUNT_TURNS_MAX + 1);
  finishAll();
  assert.deepEqual(await Promise.all(slow), Array(ACCOUNT_TURNS_MAX + 3).fill(200));
});

test('what a client waited for its turn for is not begun when the client has left; the next one has its turn', async () => {
  let begun = 0;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const operation = publicOperation({ summary: 'Test', answer: Ok, takesTurns: true }, async () => {
    begun++;
    await over;
    return reply({ ok: true });
  });
  const dispatcher = dispatcherOf([{ method: 'GET', path: '/', operation }]);
  const exchanges = Array.from({ length: ADDRESS_QUESTIONS_MAX + 2 }, () => new WaitingExchange('192.0.2.1'));
  for (const exchange of exchanges) dispatcher.serve(exchange);
  await until(() => begun === ADDRESS_QUESTIONS_MAX);
  exchanges[ADDRESS_QUESTIONS_MAX]!.hasLeft = true;
  end();
  await until(() => exchanges.at(-1)!.status === 200);
  assert.equal(begun, ADDRESS_QUESTIONS_MAX + 1);
});

test('an operation knows whether its client still waits', async () => {
  let asked: (() => boolean) | null = null;
  const operation = publicOperation({ summary: 'Test', answer: Ok }, ({ isAwaited }) => {
    asked = isAwaited;
    return new Promise(() => {});
  });
  const exchange = new WaitingExchange('192.0.2.1');
  dispatcherOf([{ method: 'GET', path: '/', operation }], { deadlineMs: 20 }).serve(exchange);
  await until(() => asked !== null);
  assert.equal(asked!(), true);
  exchange.hasLeft = true;
  assert.equal(asked!(), false);
});

test('a request is answered among the first, however many another address sent before it, refusals included', async (t) => {
  const flooded = 400;
  const answers: string[] = [];
  const operation = bearerOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const port = await serving(t, [{ method: 'GET', path: '/known', operation }]);
  const ask = async (address: string, path: string) => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.on('data', () => answers.push(address));
    const headers = `Host: x\r\nAuthorization: ${address}\r\nX-Forwarded-For: ${address}\r\n`;
    return () => socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  };
  const flood = await Promise.all(Array.from({ length: flooded }, () => ask('192.0.2.1', '/unknown')));
  const other = await ask('192.0.2.2', '/known');
  for (const send of [...flood, other]) send();
  await until(() => answers.length === flooded + 1);
  const place = answers.indexOf('192.0.2.2');
  assert.ok(place < flooded / 4, `it was answered after ${place} others`);
});

test('an address has a bounded number of requests waiting: one more is refused unread, and only its headers for that are kept', async () => {
  const operation = publicOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const dispatcher = dispatcherOf([{ method: 'GET', path: '/', operation }]);
  const beyond = 3;
  const at = (address: string) => new WaitingExchange(address);
  const flood = Array.from({ length: REQUESTS_LET_IN_MAX + ADDRESS_REQUESTS_WAITING_MAX + beyond }, () =>
    at('192.0.2.1'),
  );
  const other = at('192.0.2.2');
  for (const exchange of [...flood, other]) dispatcher.serve(exchange);
  const turnedAway = flood.slice(-beyond);
  assert.deepEqual(
    flood.filter(({ headers }) => headers.length < HEADERS.length),
    turnedAway,
  );
  assert.deepEqual(turnedAway[0]!.headers, ['x-request-id', 'mine']);
  await until(() => [...flood, other].every(({ status }) => status !== 0));
  assert.deepEqual(
    [...flood, other].map(({ status }) => status),
    [...flood.map((exchange) => (turnedAway.includes(exchange) ? 503 : 200)), 200],
  );
  assert.equal(turnedAway[0]!.answer['x-request-id'], 'mine');
  assert.equal(turnedAway[0]!.answer['retry-after'], '1');
});

test('of a request that waits for its refusal only what the refusal needs is kept', async () => {
  const operation = sessionOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const time = new SimulatedTime();
  const dispatcher = dispatcherOf([{ method: 'GET', path: '/', operation }], { clock: time });
  const flood = Array.from({ length: ADDRESS_REFUSALS_AT_ONCE_MAX + 1 }, () => new WaitingExchange('192.0.2.1'));
  for (const exchange of flood) dispatcher.serve(exchange);
  const last = flood.at(-1)!;
  await until(() => last.headers.length < HEADERS.length);
  assert.deepEqual({ status: last.status, headers: last.headers }, { status: 0, headers: ['x-request-id', 'mine'] });
  await time.pass(REFUSAL_EVERY_MS);
  assert.equal(last.status, 401);
});

test('an address that is refused very often gets its refusals at a pace; others get theirs at once', async (t) => {
  const operation = sessionOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const port = await serving(t, [{ method: 'GET', path: '/', operation }]);
  const ask = async (address: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': address } })).status;
  const beyond = 20;
  const startMs = systemClock.nowMs();
  const flood = Array.from({ length: ADDRESS_REFUSALS_AT_ONCE_MAX + beyond }, () => ask('192.0.2.1'));
  let isOver = false;
  const over = Promise.all(flood).finally(() => {
    isOver = true;
  });
  assert.equal(await ask('192.0.2.2'), 401);
  assert.equal(isOver, false);
  assert.deepEqual(await over, Array(flood.length).fill(401));
  assert.ok(systemClock.nowMs() - startMs > beyond * REFUSAL_EVERY_MS - 1);
});

test('a refusal that waited still has the request id and the Connection: close of its request', async (t) => {
  const operation = sessionOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const port = await serving(t, [{ method: 'GET', path: '/', operation }]);
  const request = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: mine\r\n\r\n';
  const answers = await Promise.all(
    Array.from({ length: ADDRESS_REFUSALS_AT_ONCE_MAX + 1 }, () => exchange(port, request)),
  );
  for (const answer of answers)
    assert.match(answer, /^HTTP\/1.1 401 .*\r\nx-request-id: mine\r\nconnection: close\r\n/s);
});

test('refusals that wait are sent when the service stops', async (t) => {
  const operation = sessionOperation({ summary: 'Test', answer: Ok }, async () => reply({ ok: true }));
  const routes = [{ method: 'GET' as const, path: '/', operation }];
  const listening = await listen(dispatcherOf(routes), '127.0.0.1', 0);
  t.after(() => listening.close());
  const ask = async () => (await fetch(`http://127.0.0.1:${listening.port}/`)).status;
  let answered = 0;
  const flood = Array.from({ length: 3 * ADDRESS_REFUSALS_AT_ONCE_MAX }, () => ask().finally(() => answered++));
  await until(() => answered > ADDRESS_REFUSALS_AT_ONCE_MAX);
  await listening.close();
  assert.deepEqual(await Promise.all(flood), Array(flood.length).fill(401));
});
