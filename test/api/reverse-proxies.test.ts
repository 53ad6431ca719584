// The API behind the proxies that operators put in front of it. What reaches the client is what the service said.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStream } from '#test/contract/event-stream.ts';
import { withApi } from '#test/support/api-harness.ts';
import { eventually } from '#test/support/patience.ts';
import { proxyProgram, startReverseProxy } from '#test/support/reverse-proxy.ts';
import { written } from '#test/support/stream-stage.ts';

const api = await withApi({ after });
const client = await api.client('developer');
const webhookId = await client.webhook();

/** What must be the same with and without a proxy. */
const SHOWN = ['content-type', 'content-length', 'allow', 'cache-control', 'x-request-id'];

for (const kind of ['haproxy', 'nginx'] as const) {
  const program = proxyProgram(kind);
  const skip = program === null && `${kind} is not installed: apt-get install ${kind}`;
  test(`behind ${kind} every kind of response comes as the service sends it`, { skip }, async (t) => {
    const proxy = await startReverseProxy(kind, program!, api.port);
    t.after(() => proxy.close());
    for (const [method, path, status, body] of [
      ['OPTIONS', '/v1/webhooks', 204],
      ['OPTIONS', `/v1/webhooks/${webhookId}`, 204],
      ['OPTIONS', '/v1/nothing', 404],
      ['HEAD', '/v1/webhooks', 200],
      ['HEAD', '/v1/nothing', 404],
      ['GET', '/v1/webhooks', 200],
      ['GET', '/docs', 200],
      ['HEAD', '/docs', 200],
      ['PATCH', `/v1/webhooks/${webhookId}`, 200, '{"description":"behind a proxy"}'],
      ['PATCH', `/v1/webhooks/${webhookId}`, 400, '{'],
      ['PUT', '/v1/webhooks', 405, '{}'],
      ['POST', '/v1/webhooks', 413, `"${'x'.repeat(70_000)}"`],
    ] as const) {
      const headers = {
        authorization: `Bearer ${client.token}`,
        'x-request-id': 'behind-a-proxy',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const ask = async (address: string) => {
        const response = await fetch(`${address}${path}`, { method, headers, ...(body !== undefined && { body }) });
        const shown = SHOWN.map((name) => [name, response.headers.get(name)]);
        // Times and the rest of the hour's requests differ between two requests.
        const text = (await response.text()).replaceAll(/"updatedAt":"[^"]*"/g, '');
        return { status: response.status, shown, text };
      };
      const [direct, proxied] = [await ask(api.address), await ask(proxy.address)];
      assert.equal(direct.status, status, `${method} ${path}`);
      assert.deepEqual(proxied, direct, `${method} ${path}`);
    }
  });

  test(`behind ${kind} a stream comes update by update, and the service learns when its client leaves`, {
    skip,
  }, async (t) => {
    const proxy = await startReverseProxy(kind, program!, api.port);
    t.after(() => proxy.close());
    const live = written(`2026-${kind}-race`);
    await api.app.live.opened(live.memory, 'live');
    const stream = await openStream(proxy.address, client.token, `session=2026-${kind}-race`);
    await eventually('the first id', () => stream.lastId() !== '');
    for (let count = 1; count <= 5; count++) {
      live.publish(1);
      await stream.updates(count);
    }
    stream.leave();
    await eventually('all places are free again', async () => {
      const streams = await Promise.all(
        Array.from({ length: 5 }, () => openStream(api.address, client.token, 'session=live')),
      );
      for (const one of streams) one.leave();
      return streams.every(({ status }) => status === 200);
    });
    const back = await openStream(proxy.address, client.token, 'session=live', stream.lastId());
    live.publish(1);
    await back.updates(1);
    assert.deepEqual([...stream.sequences(), ...back.sequences()], [1, 2, 3, 4, 5, 6]);
    back.leave();
    live.seal();
    api.app.live.ended(`2026-${kind}-race`);
  });
}
