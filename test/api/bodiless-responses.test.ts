// Responses without a body, byte for byte: what a proxy in front of the service reads. A wrong length makes HAProxy
// answer 502, and makes others wait for a body that never comes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { withApi } from '#test/support/api-harness.ts';

const front = { https: false, trustProxy: { kind: 'none' }, corsOrigins: 'any', publicOrigin: undefined } as const;
const api = await withApi({ after }, { front: front as never });
const client = await api.client('developer');
const authorization = `authorization: Bearer ${client.token}`;

interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** What came after the head until the server closed the connection. */
  readonly rest: string;
}

/** Sends one request on a connection of its own and reads until the server closes it. */
async function raw(request: string, ...headers: readonly string[]): Promise<RawResponse> {
  const socket = connect(api.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(`${[`${request} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const named = lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)] as const);
  return {
    status: Number(start.split(' ')[1]),
    headers: new Map(
      [...Map.groupBy(named, ([name]) => name)].map(([name, of]) => [name, of.map(([, value]) => value)]),
    ),
    rest: text.slice(end + 4),
  };
}

test('OPTIONS is 204 without Content-Length and without a body, with and without a preflight', async () => {
  for (const headers of [[], ['origin: https://a.example', 'access-control-request-method: POST'], [authorization]]) {
    for (const path of ['/v1/webhooks', '/v1/feeds', '/docs', '/healthz']) {
      const { status, headers: answered, rest } = await raw(`OPTIONS ${path}`, ...headers);
      assert.deepEqual([status, answered.get('content-length'), rest], [204, undefined, ''], path);
      assert.equal(answered.get('transfer-encoding'), undefined);
      assert.equal(answered.get('allow')!.length, 1);
    }
  }
});

test('HEAD has the Content-Length that GET has, and no body, whatever the status', async () => {
  for (const [path, expected, ...headers] of [
    ['/v1/feeds', 200, authorization],
    ['/v1/feeds', 401],
    ['/v1/nothing', 404],
    ['/v1/feeds?limit=0', 400, authorization],
    ['/docs', 200],
    ['/healthz', 200],
  ] as const) {
    const [head, get] = [await raw(`HEAD ${path}`, ...headers), await raw(`GET ${path}`, ...headers)];
    assert.deepEqual([head.status, get.status, head.rest], [expected, expected, ''], path);
    const lengths = head.headers.get('content-length')!;
    assert.equal(lengths.length, 1);
    assert.equal(Number(lengths[0]), Buffer.byteLength(get.rest), path);
    assert.deepEqual(get.headers.get('content-length'), lengths);
  }
});

test('every length that is sent is that of the body, also for errors and methods that a path does not support', async () => {
  for (const request of [
    'DELETE /v1/feeds',
    'HEAD /v1/simulate/stream',
    'OPTIONS /v1/nothing',
    'PUT /',
    'GET /v1/usage',
  ]) {
    const { status, headers, rest } = await raw(request);
    assert.ok(status >= 400, request);
    const [length] = headers.get('content-length')!;
    if (request.startsWith('HEAD')) assert.ok(Number(length) > 0 && Number(length) < 1_000 && rest === '');
    else assert.equal(Number(length), Buffer.byteLength(rest), request);
  }
});

test('a connection serves the next request after a response without a body', async () => {
  const socket = connect(api.port, '127.0.0.1');
  const requests = ['OPTIONS /v1/feeds', 'HEAD /healthz', 'OPTIONS /v1/webhooks', 'GET /healthz'];
  let text = '';
  const over = Promise.withResolvers<void>();
  socket.on('data', (chunk) => {
    text += chunk;
    if (text.split('HTTP/1.1 ').length > requests.length) over.resolve();
  });
  for (const request of requests) socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await over.promise;
  socket.destroy();
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ['204', '200', '204', '200']);
});
