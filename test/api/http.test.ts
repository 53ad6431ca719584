import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '#engine/base/clock.ts';
import { REQUEST_BODY_BYTES_MAX, REQUEST_DISCARD_BYTES_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { connect as connectDatabase } from '#engine/storage/postgres-client.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { until, withApi } from '#test/support/api-harness.ts';

const errors: { details: Record<string, unknown>; message: string }[] = [];
const log: Log = {
  info() {},
  warn() {},
  error: (details, message) => errors.push({ details: details as Record<string, unknown>, message }),
};
const api = await withApi({ after }, { log });
const client = await api.client('developer');

/** Sends bytes unchanged and returns what is received until it is enough or the server closes the connection. */
function raw(text: string | Buffer, isEnough: (received: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(api.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (bytes) => {
      received += bytes;
      if (isEnough(received)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

test('an unknown route gets 404 not_found with the uniform error body', async () => {
  for (const path of ['/v1', '/v1/', '/v2/webhooks', '/v1/webhooks/', '/v1/webhooks//logs', '/v1/%zz', '/*']) {
    const { status, body, headers } = await api.call('GET', path);
    assert.equal(status, 404, path);
    assert.deepEqual(body, { error: body.error, code: 'not_found', statusCode: 404 });
    assert.equal(headers.get('content-type'), 'application/json');
  }
});

test('the response to a Connection: close request has the same header', async () => {
  const request = (connection: string) => `GET /healthz HTTP/1.1\r\nHost: x\r\n${connection}\r\n`;
  const closing = await raw(request('Connection: Close\r\n'), () => false);
  assert.match(closing, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(closing, /\r\nconnection: close\r\n/i);
  const open = await raw(request(''), (received) => received.includes('ok'));
  assert.doesNotMatch(open, /connection: close/i);
});

test('a wrong method gets 405 with Allow, and OPTIONS lists the methods', async () => {
  const wrong = await client.call('PUT', '/v1/webhooks', {});
  assert.deepEqual([wrong.status, wrong.body.code], [405, 'method_not_allowed']);
  assert.equal(wrong.headers.get('allow'), 'POST, GET, HEAD, OPTIONS');
  const options = await api.call('OPTIONS', '/v1/webhooks/wh_1/feeds/events.race');
  assert.deepEqual([options.status, options.body, options.headers.get('allow')], [204, '', 'PATCH, OPTIONS']);
  assert.equal((await api.call('OPTIONS', '/v1/nothing')).status, 404);
});

test('HEAD works like GET without a body, except where GET starts something', async () => {
  const get = await client.call('GET', '/v1/feeds');
  const head = await client.call('HEAD', '/v1/feeds');
  assert.equal(head.status, 200);
  assert.equal(head.body, '');
  assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
  assert.equal((await api.call('HEAD', '/v1/feeds')).status, 401);
  const stream = await client.call('HEAD', '/v1/simulate/stream?session=x');
  assert.deepEqual([stream.status, stream.headers.get('allow')], [405, 'GET, DELETE, OPTIONS']);
});

test('malformed JSON gets 400 invalid_json, and a missing or wrong body gets invalid_body', async () => {
  for (const body of ['{', '{"a":1,}', 'webhookUrl=x', '\u0000']) {
    const answer = await client.call('POST', '/v1/webhooks', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_json'], body);
  }
  const bytes = Buffer.from([0x22, 0xff, 0x22]);
  const notUtf8 = await fetch(`${api.address}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token}` },
    body: bytes,
  });
  assert.equal(((await notUtf8.json()) as { code: string }).code, 'invalid_json');
  for (const body of [undefined, '[]', 'null', '"text"', '7']) {
    const answer = await client.call('POST', '/v1/webhooks', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_body'], body);
  }
});

test('a body over 64 KiB gets 413, and the client can read the response', async () => {
  const filler = (length: number) => JSON.stringify({ webhookUrl: 'x'.repeat(length) });
  const fits = await client.call('POST', '/v1/webhooks', filler(REQUEST_BODY_BYTES_MAX - 100));
  assert.equal(fits.body.code, 'invalid_body');
  for (const length of [REQUEST_BODY_BYTES_MAX, 500_000]) {
    const { status, body } = await client.call('POST', '/v1/webhooks', filler(length));
    assert.deepEqual([status, body.code], [413, 'body_too_large'], String(length));
  }
  const declared = `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: ${REQUEST_DISCARD_BYTES_MAX + 1}\r\n\r\n`;
  const received = await raw(declared, () => false);
  assert.match(received, /^HTTP\/1\.1 413 /);
  const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
  const chunked = `POST /v1/oauth HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`;
  assert.match(await raw(chunked, (text) => text.includes('body_too_large')), /^HTTP\/1\.1 413 /);
});

test('a well-formed request id is echoed, any other is replaced', async () => {
  const sane = await api.call('GET', '/healthz', undefined, { 'x-request-id': 'abc-123_x.y:z' });
  assert.equal(sane.headers.get('x-request-id'), 'abc-123_x.y:z');
  for (const given of ['a b', 'x'.repeat(65), '<script>']) {
    const answer = await api.call('GET', '/nothing', undefined, { 'x-request-id': given });
    assert.match(answer.headers.get('x-request-id')!, /^[0-9a-f-]{36}$/);
  }
});

test('an unexpected request body does not disturb the next request on the connection', async () => {
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const head of ['GET /healthz', 'DELETE /v1/nothing', 'POST /healthz', 'GET /v1/feeds']) {
    const socket = connect(api.port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`);
    await until(() => received.includes('}'));
    received = '';
    socket.write(next);
    await until(() => received.includes('{"status":"ok"}'));
    socket.destroy();
  }
});

test('an unexpected failure gets 500 internal_error without details, and is logged with the request id', async () => {
  await api.session('broken-race');
  const status = api.library.status;
  api.library.status = async () => {
    throw new Error('the secret reason');
  };
  const answer = await client.call('GET', '/v1/simulate/status?session=broken-race', undefined, {
    'x-request-id': 'find-me',
  });
  api.library.status = status;
  assert.deepEqual([answer.status, answer.body.code], [500, 'internal_error']);
  assert.ok(!JSON.stringify(answer.body).includes('secret'));
  const logged = errors.find(({ details }) => details.requestId === 'find-me');
  assert.match(String(logged?.details.err), /the secret reason/);
});

test('without its database the service responds with 503 and Retry-After, and is alive but not ready', async (t) => {
  assert.deepEqual((await api.call('GET', '/readyz')).body, { status: 'ready' });
  const nowhere: ConnectionSettings = {
    setting: 'DATABASE_URL',
    host: '127.0.0.1',
    port: 1,
    user: 'nobody',
    password: null,
    database: 'nothing',
    tls: 'off',
  };
  const sql = connectDatabase(nowhere, { max: 1, name: 'test', clock: systemClock });
  t.after(() => sql.end({ timeout: 0 }));
  const other = await withApi(t, { sql });
  for (const path of ['/v1/webhooks', '/v1/simulate/quota']) {
    const { status, body, headers } = await other.call('GET', path, undefined, { authorization: 'Bearer abc' });
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '1']);
  }
  assert.equal((await other.call('GET', '/readyz')).status, 503);
  assert.deepEqual((await other.call('GET', '/healthz')).body, { status: 'ok' });
});

test('a client that disconnects before the response, or in the middle of its body, does not affect other clients', async () => {
  const id = await client.webhook();
  const control = api.control;
  const original = control.test;
  let begun = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  control.test = async () => {
    begun++;
    await gate;
    return control.outcome;
  };
  const socket = connect(api.port, '127.0.0.1');
  socket.write(`POST /v1/webhooks/${id}/test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n\r\n`);
  await until(() => begun === 1);
  socket.destroy();
  const half = connect(api.port, '127.0.0.1');
  await new Promise((resolve) =>
    half.write('POST /v1/oauth HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhalf', resolve),
  );
  half.destroy();
  assert.equal((await api.call('GET', '/healthz')).status, 200);
  release();
  control.test = original;
  assert.equal((await api.call('GET', '/healthz')).status, 200);
});

test('listening on a port in use fails with an error that names PORT and HOST', async () => {
  await assert.rejects(api.app.listen('127.0.0.1', api.port), (error: Error) => {
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${api.port}.*PORT.*HOST`));
    return true;
  });
});

test('closing lets a request in progress finish and accepts no new ones', async () => {
  const id = await client.webhook();
  const { control, listening } = await api.restarted();
  let release = () => {};
  let begun = false;
  control.test = () => {
    begun = true;
    return new Promise((resolve) => {
      release = () => resolve(control.outcome);
    });
  };
  const address = `http://127.0.0.1:${listening.port}`;
  const headers = { authorization: `Bearer ${client.token}` };
  const answer = fetch(`${address}/v1/webhooks/${id}/test`, { method: 'POST', headers });
  await until(() => begun);
  const closed = listening.close();
  await assert.rejects(fetch(`${address}/healthz`));
  release();
  assert.equal((await answer).status, 200);
  await closed;
});

test('a session that the database cannot store is refused by every list that is filtered by it (400)', async () => {
  const id = await client.webhook();
  for (const path of [`/v1/webhooks/${id}/logs`, '/v1/simulate/runs', '/v1/live/runs']) {
    const { status, body } = await client.call('GET', `${path}?session=%00`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], path);
    assert.match(body.error, /session/);
  }
  for (const [method, path, sent] of [
    ['GET', '/v1/simulate/stream?session=%00', undefined],
    ['POST', '/v1/simulate/runs', { sessionId: '\u0000' }],
  ] as const)
    assert.equal((await client.call(method, path, sent)).status, 404, path);
});

test('malformed requests never cause a 5xx response or stop the service', async () => {
  const id = await client.webhook();
  const paths = fc.constantFrom(
    '/v1/oauth',
    '/v1/webhooks',
    `/v1/webhooks/${id}`,
    `/v1/webhooks/${id}/feeds/session.status`,
    `/v1/webhooks/${id}/logs`,
    '/v1/simulate/prepare',
    '/v1/simulate/status',
    '/v1/simulate/stream',
    '/v1/simulate/runs/run_0',
  );
  const name = fc.constantFrom('limit', 'offset', 'cursor', 'session', 'runId', 'speed', 'sinks');
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom('\u0000', '-1', '1e999', '١', 'visual'),
  );
  const field = fc.constantFrom(
    'webhookUrl',
    'feedId',
    'feedIds',
    'subscriptions',
    'filters',
    'active',
    'sessionId',
    'grant_type',
    'client_id',
    'client_secret',
  );
  const query = fc.array(fc.tuple(name, texts), { maxLength: 3 });
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('https://hooks.example.com/\ud800', 'session.status', ['*'], '\u0000', '\ud800', {
      constructors: ['a\ud800'],
    }),
  );
  const body = fc.oneof(
    fc.dictionary(field, values).map((fields) => JSON.stringify(fields)),
    fc.string(),
  );
  const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT');
  await fc.assert(
    fc.asyncProperty(method, paths, query, body, async (verb, path, pairs, content) => {
      const search = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join('&');
      const target = `${path}${path.endsWith(id) && verb === 'DELETE' ? '/none' : ''}?${search}`;
      const { status } = await client.call(verb, target, verb === 'GET' ? undefined : content);
      assert.ok(status < 500, `${verb} ${target} ${content}: ${status}`);
    }),
    { numRuns: 300 },
  );
});
