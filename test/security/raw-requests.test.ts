// Requests to the real service that no HTTP library would send. They are refused, or waited for within a bound. None is
// taken for another request, and the service keeps running.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CONNECTIONS_FILES_SHARE_MAX } from '#engine/base/limits.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, runAdminCommand, startService } from '#test/support/service-process.ts';

const OPEN_FILES = 400;
const CONNECTIONS = OPEN_FILES * CONNECTIONS_FILES_SHARE_MAX;
const PATIENCE_MS = 30_000;

const dataDir = temporaryDataDir('service');
const service = await startService(dataDir, { ADMIN_PORT: '0', LOG_LEVEL: 'warn', SHARDS: '1' }, OPEN_FILES);
after(() => service.end('SIGTERM'));
const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.com', '--plan', 'custom']);
const client = await ApiClient.open(service.address, account);
const FRONT = Number(new URL(service.address).port);
const OPERATORS = Number(new URL(service.operators).port);

interface Said {
  readonly text: string;
  readonly statuses: readonly string[];
  /** Whether the other side closed the connection. */
  readonly closed: boolean;
}

/** Sends raw bytes. Returns the responses until enough have arrived, the other side closes, or `ms` have passed. */
function say(
  port: number,
  bytes: string | Buffer,
  { answers = 1, ms = 1_000, drip = '', next = '' } = {},
): Promise<Said> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    if (next !== '') setTimeout(() => socket.write(next), ms / 2);
    const dripping = drip === '' ? undefined : setInterval(() => socket.write(drip), 200);
    const done = (closed: boolean): void => {
      clearInterval(dripping);
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]!), closed });
    };
    const timer = setTimeout(() => done(false), ms);
    socket.on('data', (chunk) => {
      text += chunk;
      if ([...text.matchAll(/HTTP\/1\.1 \d+/g)].length >= answers) setTimeout(() => done(false), 30);
    });
    socket.on('error', () => {});
    socket.on('close', () => done(true));
  });
}

const NEXT = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const post = (headers: string, rest: string) => `POST /v1/oauth HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${rest}`;

/** Bytes sent at first, and then repeatedly. This takes a while, so it begins before the tests. */
const SLOW: readonly (readonly [port: number, bytes: string, drip: string])[] = [
  [FRONT, '', ''],
  [FRONT, 'G', 'E'],
  [FRONT, 'GET /healthz HTTP/1.1\r\n', 'X-a: b\r\n'],
  [FRONT, NEXT, ''],
  [FRONT, post('Content-Length: 500', ''), ''],
  [FRONT, post('Content-Length: 50000', ''), 'a'],
  [FRONT, post('Content-Length: 60000', ''), 'a'.repeat(200)],
  [FRONT, post('Transfer-Encoding: chunked', ''), '1\r\na\r\n'],
  [FRONT, post('Transfer-Encoding: chunked', ''), `4000\r\n${'a'.repeat(0x4000)}\r\n`],
  [OPERATORS, '', ''],
  [OPERATORS, 'GET /metrics HTTP/1.1\r\n', 'X-a: b\r\n'],
  [OPERATORS, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n', ''],
];
const slow = SLOW.map(([port, bytes, drip]) =>
  say(port, bytes, { answers: Number.POSITIVE_INFINITY, ms: PATIENCE_MS, drip }),
);

test('smuggling: no second request is read after one whose end is ambiguous', async () => {
  const probes = [
    post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n`),
    post('Content-Length: 2\r\nContent-Length: 60', `{}`),
    post('Content-Length: 60\r\nContent-Length: 2', `{}`),
    post('Content-Length: 2\r\nContent-Length: 2', `{}`),
    post('Content-Length: 2, 2', `{}`),
    post('Content-Length: +2', `{}`),
    post('Content-Length: -1', `{}`),
    post('Content-Length: 0x2', `{}`),
    post('Content-Length: 99999999999999999999', `{}`),
    post('Transfer-Encoding: xchunked', `2\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: identity', ''),
    post('Transfer-Encoding: chunked, identity', `2\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `2\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding : chunked', `2\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding:\r\n chunked', `2\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked', `zz\r\n{}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked', `ffffffffffffffffff\r\n{}\r\n0\r\n\r\n`),
    `POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 60\r\n\r\n{}`,
  ];
  await Promise.all(
    probes.map(async (probe) => {
      // Sent alone at first: the library closes a connection if the next request arrives before the response.
      const { statuses, text } = await say(FRONT, probe, { answers: 2, next: NEXT });
      assert.ok(statuses.length <= 1 && !statuses.includes('200'), `${JSON.stringify(probe)}: ${text}`);
    }),
  );
});

test('odd requests are refused or not understood, and none causes a 5xx of ours', async () => {
  const long = 'a'.repeat(100_000);
  const probes: readonly (readonly [port: number, bytes: string, status: string])[] = [
    [FRONT, `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`, '431'],
    [FRONT, `GET /healthz HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(300)}\r\n`, '431'],
    [FRONT, `GET /healthz?${long} HTTP/1.1\r\nHost: x\r\n\r\n`, '431'],
    [FRONT, 'GET http://other.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n', '505'],
    [FRONT, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', '505'],
    [FRONT, 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n', '505'],
    [FRONT, 'TRACE /healthz HTTP/1.1\r\nHost: x\r\nCookie: session=a\r\n\r\n', '405'],
    [FRONT, 'GET /healthz HTTP/1.0\r\n\r\n', '505'],
    [FRONT, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '505'],
    [FRONT, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', '505'],
    [FRONT, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '200'],
    [FRONT, post('Expect: 100-continue\r\nContent-Length: 2', ''), '100'],
    [FRONT, post(`Content-Length: ${2 ** 30}`, ''), '413'],
    [FRONT, 'GET /v1/feeds HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\n\r\n', '401'],
    [OPERATORS, `GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ${long}\r\n\r\n`, '431'],
    [OPERATORS, 'GET /metrics HTTP/1.1\r\nHost: other.example\r\n\r\n', '403'],
    [OPERATORS, 'GET /metrics HTTP/1.1\r\nHost: other.example\r\nHost: localhost\r\n\r\n', '403'],
    [OPERATORS, 'GET /metrics HTTP/1.1\r\n\r\n', '400'],
    [OPERATORS, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', '400'],
    [
      OPERATORS,
      'POST /v1/ingest/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\n',
      '400',
    ],
    [
      OPERATORS,
      'POST /v1/ingest/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0',
      '400',
    ],
  ];
  await Promise.all(
    probes.map(async ([port, bytes, status]) => {
      const { statuses } = await say(port, bytes);
      assert.equal(statuses[0], status, JSON.stringify(bytes.slice(0, 120)));
    }),
  );
  const waiting = [
    'GET /healthz\r\n\r\n',
    'GET /healthz HTTP/1.1\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nA: a\0b\r\n\r\n',
  ];
  for (const bytes of waiting) assert.deepEqual((await say(FRONT, bytes, { ms: 200 })).statuses, [], bytes);
});

test('a flood of requests with unread responses neither fills the memory nor delays other clients', async () => {
  const residentMiB = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))![1]) / 1_024;
  const before = residentMiB();
  let most = before;
  const floods = ['/docs/swagger-ui-bundle.js', '/v1/openapi.json', '/docs', '/v1/feeds'].map((path) => {
    const socket = connect(FRONT, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(12_000));
    return socket;
  });
  for (let looks = 0; looks < 40; looks++) {
    await pause(25);
    most = Math.max(most, residentMiB());
    assert.equal((await client.call('GET', '/feeds')).status, 200);
  }
  for (const socket of floods) socket.destroy();
  assert.ok(most - before < 64, `grew from ${before} to ${most} MiB`);
});

test('connections use at most their share of open files; others are closed at once, and slots are freed', async () => {
  const sockets: Socket[] = [];
  let closed = 0;
  for (let i = 0; i < OPEN_FILES + 100; i++) {
    const socket = connect(FRONT, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => closed++);
    sockets.push(socket);
  }
  // The client of these tests holds some of them.
  while (closed < sockets.length - CONNECTIONS) await pause(20);
  assert.equal(service.process.exitCode, null);
  for (const socket of sockets) socket.destroy();
  for (let tries = 0; ; tries++) {
    const ok = await client.call('GET', '/webhooks').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (ok) break;
    assert.ok(tries < 100, 'slots are freed');
    await pause(20);
  }
  assert.doesNotMatch(service.output(), /"level":(50|60)/);
});

test('slow clients are disconnected: slow heads, slow bodies and silence, on both ports', {
  timeout: 40_000,
}, async () => {
  for (const [place, { closed }] of (await Promise.all(slow)).entries()) {
    assert.ok(closed, JSON.stringify(SLOW[place]).slice(0, 200));
  }
});
