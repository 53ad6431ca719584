// Bytes that no well-behaved client sends, to the public listener and to the operators' listener of a service process.
// The process survives, serves others, does not grow, and never responds with a 5xx.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, runAdminCommand, startService } from '#test/support/service-process.ts';
import { damagedBytes } from './damage.ts';
import { madeUpRequest, requestText } from './raw-requests.ts';
import { Cases, fuzzRuns } from './runs.ts';

/** After this long without a byte from the service, a connection counts as silent. */
const SILENCE_MS = 150;
const AT_ONCE = 40;
const GROWTH_BYTES_MAX = 128 * 1024 * 1024;

const dataDir = temporaryDataDir('service');
const service = await startService(dataDir, {
  ADMIN_PORT: '0',
  SERIES: 'f1,karting',
  LOG_LEVEL: 'info',
  TRUST_PROXY: 'all',
});
after(() => service.end('SIGTERM'));
const account = await runAdminCommand(dataDir, [
  'account',
  'create',
  '--email',
  'fuzz@example.com',
  '--plan',
  'custom',
]);
const api = await ApiClient.open(service.address, account);
const { access_token: token } = (await (
  await fetch(`${service.address}/v1/oauth`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: account.clientId!,
      client_secret: account.clientSecret!,
    }),
  })
).json()) as { access_token: string };

/** Sends bytes. Returns the responses until the connection ends or falls silent. */
function exchange(address: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

/** Checks every response of a connection. Returns the status of the first one. */
function check(answers: string, sent: Buffer): string {
  let first = 'closed';
  for (let rest = answers; rest !== ''; ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    // The exchange ended in the middle of a response.
    if (headEnd === -1) break;
    const head = rest.slice(0, headEnd);
    rest = rest.slice(headEnd + 4);
    // A response to HEAD announces a body that does not follow.
    const length = rest.startsWith('HTTP/1.1 ') ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? rest.length);
    if (rest.length < length) break;
    const outcome = checkAnswer(head, rest.slice(0, length), sent);
    rest = rest.slice(length);
    if (first === 'closed') first = outcome;
  }
  return first;
}

/** Checks a refusal of the HTTP library or a response of ours: no 5xx, and every refusal has its three fields. */
function checkAnswer(head: string, body: string, sent: Buffer): string {
  const shown = `${JSON.stringify(head + body.slice(0, 300))} to ${JSON.stringify(sent.toString('latin1').slice(0, 600))}`;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  assert.ok(status >= 100 && status <= 505, shown);
  // The library refuses invalid requests and unknown HTTP versions with its own text.
  if (body.includes('uWebSockets') && [400, 431, 505].includes(status)) return 'refused by the library';
  assert.ok(status < 500, shown);
  if (status < 400) return 'taken';
  // The operators' listener is node:http, which refuses without a body, or with an empty chunked one.
  if (body === '' || body === '0\r\n\r\n') return 'refused';
  const { statusCode, code, error } = JSON.parse(Buffer.from(body, 'latin1').toString());
  assert.deepEqual([statusCode, typeof code, typeof error], [status, 'string', 'string'], shown);
  return 'refused';
}

const json = (value: unknown): string => JSON.stringify(value);
const bearer = `authorization: Bearer ${token}`;
const withBody = (line: string, type: string, body: string): string =>
  requestText(line, [bearer, `content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`], body);

const SOUND = [
  requestText('GET /v1/feeds?limit=2&offset=1 HTTP/1.1', [bearer, 'x-request-id: a']),
  requestText('GET /v1/webhooks HTTP/1.1', [bearer, 'origin: https://app.example.com']),
  requestText('OPTIONS /v1/webhooks HTTP/1.1', ['origin: https://a.b', 'access-control-request-method: POST']),
  requestText('HEAD /healthz HTTP/1.1', []),
  requestText('GET /v1/webhooks/wh_x/logs?cursor=AAAAAAAAAAE HTTP/1.1', [bearer]),
  requestText('POST /v1/oauth/credentials HTTP/1.1', ['cookie: session=abc', 'content-length: 0']),
  withBody(
    'POST /v1/webhooks HTTP/1.1',
    'application/json',
    json({ webhookUrl: 'https://127.1.1.1/x', feedId: 'lap.count' }),
  ),
  withBody('POST /v1/oauth HTTP/1.1', 'application/x-www-form-urlencoded', 'grant_type=client_credentials&client_id=x'),
  withBody('POST /v1/auth/login HTTP/1.1', 'application/json', json({ email: 'a@example.com', password: 'wrong' })),
  requestText(
    'POST /v1/auth/verify-email HTTP/1.1',
    ['transfer-encoding: chunked'],
    '5\r\n{"tok\r\n8\r\nen":"x"}\r\n0\r\n\r\n',
  ),
  requestText('GET /docs HTTP/1.1', ['accept-encoding: gzip']),
];

const pipelined = fc
  .array(fc.constantFrom(...SOUND), { minLength: 2, maxLength: 5 })
  .map((all) => Buffer.from(all.join('')));
const bytes = fc.oneof(
  { arbitrary: damagedBytes(SOUND), weight: 4 },
  { arbitrary: madeUpRequest, weight: 4 },
  pipelined,
  fc.uint8Array({ maxLength: 200 }).map((rubbish) => Buffer.from(rubbish)),
  fc.constant(Buffer.from('16030100ff010000fb0303', 'hex')),
);

/** Resident memory of the service, if the system reports it. */
function residentBytes(): number {
  const path = `/proc/${service.process.pid}/status`;
  return existsSync(path) ? Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1]) * 1024 : 0;
}

async function assertAlive(): Promise<void> {
  assert.equal(service.process.exitCode, null, service.output());
  assert.equal((await fetch(`${service.address}/healthz`)).status, 200);
  assert.equal((await api.call('GET', '/feeds')).status, 200);
  assert.doesNotMatch(service.output(), /failed unexpectedly|internal_error|AssertionError/);
}

test('with any bytes on the public listener the process survives, does not grow, and serves others', async (t) => {
  const cases = new Cases(t, 'connections');
  const round = (runs: number) =>
    fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
        const answers = await Promise.all(all.map((one) => exchange(service.address, one)));
        for (const [index, answer] of answers.entries()) cases.add(check(answer, all[index]!));
      }),
      // The message shows the problem; shrinking to fewer connections would not show more.
      { ...fuzzRuns(runs), endOnFailure: true },
    );
  await round(4);
  const before = residentBytes();
  await round(5);
  const grown = residentBytes() - before;
  assert.ok(grown < GROWTH_BYTES_MAX, `it grew by ${grown} bytes`);
  await assertAlive();
});

const LINES = [
  json({ topic: 'Heat', utc: '2026-05-03T14:00:00Z', data: { status: 'running', lap: 1 } }),
  json({ topic: 'Karts', utc: '2026-05-03T14:00:01Z', data: { 7: { name: 'Ada', code: 'ADA', team: 'Red' } } }),
  json({
    topic: 'Laps',
    utc: '2026-05-03T14:00:02Z',
    data: { 7: { position: 1, laps: 1, last: '48.213' } },
    sequence: 1,
  }),
].map((line) => `${line}\n`);

test('with any bytes on the listener for operators the process survives, and sessions continue', async (t) => {
  const cases = new Cases(t, 'connections');
  const ingest = (name: string, lines: string): string =>
    requestText(
      `POST /v1/ingest/${name}?series=karting HTTP/1.1`,
      ['content-type: application/x-ndjson', `content-length: ${Buffer.byteLength(lines)}`],
      lines,
    );
  const valid = [
    ...LINES.map((line) => ingest('2026-fuzz-one', line)),
    ingest('2026-fuzz-two', LINES.join('')),
    requestText('GET /v1/ingest/2026-fuzz-one HTTP/1.1', []),
    requestText('GET /metrics HTTP/1.1', []),
  ];
  const operator = fc.oneof(
    { arbitrary: damagedBytes(valid), weight: 3 },
    {
      arbitrary: damagedBytes(LINES).map((lines) => Buffer.from(ingest('2026-fuzz-one', lines.toString()))),
      weight: 3,
    },
    madeUpRequest,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(operator, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
      const answers = await Promise.all(all.map((one) => exchange(service.operators, one)));
      for (const [index, answer] of answers.entries()) cases.add(check(answer, all[index]!));
    }),
    { ...fuzzRuns(4), endOnFailure: true },
  );
  await assertAlive();
  const taken = await fetch(`${service.operators}/v1/ingest/2026-fuzz-last?series=karting`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: LINES.join(''),
  });
  const { data } = (await taken.json()) as { data: unknown };
  assert.deepEqual(data, { sessionId: '2026-fuzz-last', accepted: 2, repeated: 1, lastSequence: 2 });
  assert.equal((await fetch(`${service.operators}/metrics`)).status, 200);
});
