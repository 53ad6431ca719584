// Requests that one node passes on to another, over real sockets: a client asks the front of the first, and the second one
// is home.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { Dispatcher } from '#api/http/dispatcher.ts';
import { ALONE, type Forwarder, HERE, type Home, type Homes } from '#api/http/homes.ts';
import { bearerOperation, publicOperation, reply } from '#api/http/operation.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import type { Route } from '#api/http/router.ts';
import { listen } from '#api/http/uws-server.ts';
import { NodeMeter } from '#api/nodes/node-meter.ts';
import { listenForPeers } from '#api/nodes/peer-listener.ts';
import { PEER_TLS } from '#api/nodes/peer-secrets.ts';
import { UndiciForwarder } from '#api/nodes/undici-forwarder.ts';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import { ACCOUNT_REQUESTS_MAX, PEER_CONNECTIONS_MAX, SSE_REVOKED_UNREAD_MS } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { silentLog } from '#test/support/database.ts';
import { BEHIND_PROXY } from '#test/support/people.ts';

interface Scope {
  after(end: () => unknown): void;
}

const KEY = 'what all nodes of the cluster know';
const Echo = Type.Object({ text: Type.String() });
const Told = Type.Object({ text: Type.String(), from: Type.String() });

/** Where the slow request has arrived, and what it waits for. */
const arrivals: string[] = [];
const answering = Promise.withResolvers<void>();
/** What requests and streams that are held open wait for. */
const released = Promise.withResolvers<void>();
/** The home of a stream without an end sees that nobody gets it any more. */
const floodCut = Promise.withResolvers<void>();

/** What each kind of request does at its home. */
function routes(node: string): Route[] {
  const echo = bearerOperation(
    { summary: 'Echo', body: Echo, answer: Told, statuses: [201] },
    async ({ body, caller }) =>
      reply({ text: `${body.text} to ${caller.accountId}`, from: node }, 201, { location: '/there' }),
  );
  const slow = bearerOperation({ summary: 'Slow', body: Echo, answer: Told }, async ({ body }) => {
    arrivals.push(node);
    await answering.promise;
    return reply({ text: body.text, from: node });
  });
  const counted = publicOperation({ summary: 'Counted', answer: Told, countsSenders: true }, async ({ clientIp }) =>
    reply({ text: clientIp, from: node }),
  );
  const held = bearerOperation({ summary: 'Held', body: Echo, answer: Told }, async ({ body }) => {
    await released.promise;
    return reply({ text: body.text, from: node });
  });
  const open = bearerOperation({ summary: 'Open', answer: Told, events: true }, async () => ({
    kind: 'events' as const,
    open(channel) {
      channel.write(new TextEncoder().encode(': open\n\n'));
      void released.promise.then(() => channel.end());
    },
  }));
  const streamed = bearerOperation({ summary: 'Stream', answer: Told, events: true }, async () => ({
    kind: 'events' as const,
    open(channel) {
      channel.write(new TextEncoder().encode('data: one\n\n'));
      channel.write(new TextEncoder().encode('data: two\n\n'));
      channel.end();
    },
  }));
  const flood = bearerOperation({ summary: 'Flood', answer: Told, events: true }, async () => ({
    kind: 'events' as const,
    open(channel) {
      const fill = (): void => {
        while (channel.write(new Uint8Array(65_536))) {
          // Until the client reads no more.
        }
      };
      channel.onDrain(fill);
      channel.onClose(floodCut.resolve);
      fill();
    },
  }));
  const said = publicOperation(
    { summary: 'Said', query: Echo, answer: Told, countsSenders: true, reads: ['x-note'] },
    async ({ query, headers }) => reply({ text: `${query.text}, ${headers['x-note']}`, from: node }),
  );
  return [
    { method: 'GET', path: '/v1/said', operation: said },
    { method: 'POST', path: '/v1/echo', operation: echo },
    { method: 'POST', path: '/v1/slow', operation: slow },
    { method: 'POST', path: '/v1/held', operation: held },
    { method: 'GET', path: '/v1/open', operation: open },
    { method: 'GET', path: '/v1/flood', operation: flood },
    { method: 'GET', path: '/v1/counted', operation: counted },
    { method: 'GET', path: '/v1/streamed', operation: streamed },
  ];
}

function dispatcherOf(node: string, homes: Homes, forwarder: Forwarder): Dispatcher {
  return new Dispatcher({
    routes: routes(node),
    authenticate: (header) => async () => ({ accountId: header, plan: 'custom' as const }),
    signedIn: async (token) => ({ accountId: token, plan: 'custom' as const }),
    quota: new RequestQuota(systemClock),
    log: silentLog,
    front: BEHIND_PROXY,
    cluster: { homes, forwarder },
  });
}

/** A front whose accounts are all at home on another node. Returns where the front listens. */
async function twoNodes(t: Scope, far: Homes = ALONE, farKey = KEY, clock: TimerClock = systemClock) {
  const meter = new NodeMeter();
  const secretBox = new SecretBox(KEY, systemRandomBytes);
  const forwarder = new UndiciForwarder({ secretBox, meter, clock });
  const farBox = new SecretBox(farKey, systemRandomBytes);
  const home = await listenForPeers(dispatcherOf('far', far, forwarder), farBox, '127.0.0.1', 0);
  t.after(() => home.close());
  let where: Home = { kind: 'peer', node: { nodeNo: 2, address: `127.0.0.1:${home.port}` } };
  const front = await listen(
    dispatcherOf('near', { homeOf: () => where, begun() {}, ended() {} }, forwarder),
    '127.0.0.1',
    0,
  );
  t.after(() => front.close());
  const moved = (next: Home): void => {
    where = next;
  };
  return { url: `http://127.0.0.1:${front.port}`, homePort: home.port, moved, forwarder, meter };
}

const echo = (url: string, path = '/v1/echo', account = 'ada'): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: account, 'content-type': 'application/json', 'x-request-id': 'mine' },
    body: '{"text":"greetings"}',
  });

test('D4: a request of an account is answered at its home, with all of its answer, and its quota and the passing on are counted', async (t) => {
  const { url, meter } = await twoNodes(t);
  const answer = await echo(url);
  assert.deepEqual(
    [answer.status, await answer.json(), answer.headers.get('location'), answer.headers.get('x-request-id')],
    [201, { text: 'greetings to ada', from: 'far' }, '/there', 'mine'],
  );
  assert.match(answer.headers.get('x-ratelimit-remaining')!, /^\d+$/);
  assert.equal(
    answer.headers.get('content-length'),
    String(JSON.stringify({ text: 'greetings to ada', from: 'far' }).length),
  );
  const passed = meter.passMs.counts.reduce((sum, count) => sum + count, 0);
  assert.deepEqual([meter.passings.value('answered'), passed], [1, 1]);
});

test('D4: a request that counts by address is counted with the address of its client', async (t) => {
  const { url } = await twoNodes(t);
  const answer = await fetch(`${url}/v1/counted`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  assert.deepEqual(await answer.json(), { text: '203.0.113.9', from: 'far' });
});

test('what is not ASCII in a request reaches its home as it would reach the front', async (t) => {
  const { url, moved } = await twoNodes(t);
  const { port } = new URL(url);
  // As browsers send cookies of other applications, and command lines their arguments.
  const ask = async (): Promise<string> => {
    const client = connect(Number(port), '127.0.0.1');
    client.write('GET /v1/said?text=Žď☃\x7f HTTP/1.1\r\nhost: x\r\ncookie: name=Łukasz\r\n');
    client.write('x-note: a é☃ b\r\nx-odd: \x7f\r\nconnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of client) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const passed = await ask();
  moved(HERE);
  const direct = await ask();
  assert.match(direct, /^HTTP\/1\.1 200 /);
  assert.match(direct, /"text":"Žď☃\x7f, a é☃ b"/);
  assert.match(passed, /^HTTP\/1\.1 200 /);
  assert.match(passed, /"text":"Žď☃\x7f, a é☃ b"/);
});

test('FW2: an event stream is passed on as it comes', async (t) => {
  const { url } = await twoNodes(t);
  const answer = await fetch(`${url}/v1/streamed`, { headers: { authorization: 'ada' } });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  assert.equal(await answer.text(), 'data: one\n\ndata: two\n\n');
});

test('FW5: a stream whose token was revoked, and whose client reads nothing, is cut within a second', async (t) => {
  const waits: number[] = [];
  const schedule: TimerClock['schedule'] = (delayMs, callback) => {
    waits.push(delayMs);
    return systemClock.schedule(delayMs, callback);
  };
  const { url, forwarder } = await twoNodes(t, ALONE, KEY, { ...systemClock, schedule });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('GET /v1/flood HTTP/1.1\r\nhost: x\r\nauthorization: ada\r\n\r\n');
  await once(socket, 'readable');
  forwarder.accountChanged('ada', () => ({ accountId: 'ada', plan: 'free' }));
  forwarder.accountChanged('eve', () => {
    throw new ApiError('unauthorized');
  });
  await new Promise(setImmediate);
  assert.deepEqual(waits, [], 'other accounts and other changes cut nothing');
  forwarder.accountChanged('ada', () => {
    throw new ApiError('unauthorized');
  });
  await floodCut.promise;
  assert.equal(waits.at(-1), SSE_REVOKED_UNREAD_MS);
});

test('requests and streams of one account that stay open leave others their way to the same node', async (t) => {
  const { url } = await twoNodes(t);
  const streams: Response[] = [];
  while (streams.length < PEER_CONNECTIONS_MAX) {
    const some = Array.from({ length: 64 }, () => fetch(`${url}/v1/open`, { headers: { authorization: 'mallory' } }));
    streams.push(...(await Promise.all(some)));
  }
  const held = Array.from({ length: ACCOUNT_REQUESTS_MAX }, () => echo(url, '/v1/held', 'eve'));
  assert.equal((await echo(url)).status, 201);
  released.resolve();
  for (const answer of [...streams, ...(await Promise.all(held))]) {
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
});

test('a client cannot name the address that it is counted by', async (t) => {
  const { url } = await twoNodes(t);
  const answer = await fetch(`${url}/v1/counted`, { headers: { 'x-slipstream-client': '198.51.100.1' } });
  assert.equal(((await answer.json()) as { text: string }).text, '127.0.0.1');
});

test('a request whose home is just changing waits, and then goes to the new home', async (t) => {
  const { url, moved, meter } = await twoNodes(t, { ...ALONE, homeOf: () => ({ kind: 'none' }) });
  const waiting = echo(url);
  // The other node says that it is not home.
  const early = await Promise.race([waiting.then(() => 'answered'), systemClock.sleep(300).then(() => 'waits')]);
  assert.equal(early, 'waits');
  moved({ kind: 'none' });
  await systemClock.sleep(100);
  moved(HERE);
  assert.deepEqual(await (await waiting).json(), { text: 'greetings to ada', from: 'near' });
  assert.ok(meter.passings.value('not_home') > 0);
  assert.equal(meter.passings.value('answered'), 0);
});

test('FW1: a request that its home may have read is not sent again when that node is replaced: the client gets 503', async (t) => {
  const { url, moved, forwarder, meter } = await twoNodes(t);
  const answer = echo(url, '/v1/slow');
  while (arrivals.length === 0) await systemClock.sleep(5);
  moved(HERE);
  forwarder.keep([]);
  const { status } = await answer;
  answering.resolve();
  assert.deepEqual([status, arrivals, meter.passings.value('unknown')], [503, ['far'], 1]);
});

test('a node with another SECRET_KEY is not asked: the request waits for its home, and is refused with 503', async (t) => {
  const { url } = await twoNodes(t, ALONE, 'what another cluster knows');
  const answer = await echo(url);
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [503, 'unavailable']);
});

test('nobody without the key gets anything from the inner listener: not over plain TCP, not over TLS, not with a wrong key', async (t) => {
  const { homePort } = await twoNodes(t);
  const plain = connect(homePort, '127.0.0.1', () => plain.write('GET /v1/counted HTTP/1.1\r\nhost: x\r\n\r\n'));
  let heard = '';
  plain.on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  await once(plain, 'close');
  assert.doesNotMatch(heard, /HTTP/);
  const certificates = connectTls({ port: homePort, host: '127.0.0.1', rejectUnauthorized: false });
  const [refused] = await once(certificates, 'error');
  assert.match(String(refused), /handshake failure/);
  const [identity] = [...new SecretBox(KEY, systemRandomBytes).peerKeys.keys()];
  const guessed = connectTls({
    ...PEER_TLS,
    port: homePort,
    host: '127.0.0.1',
    pskCallback: () => ({ identity: identity!, psk: new Uint8Array(32) }),
    checkServerIdentity: () => undefined,
  });
  const [wrong] = await once(guessed, 'error');
  assert.match(String(wrong), /alert|decrypt|mac/i);
});
