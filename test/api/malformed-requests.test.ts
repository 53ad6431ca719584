// Whatever is sent to whichever route, it is the client's mistake, never a failure of ours.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { PLAIN_FRONT } from '#api/http/front-settings.ts';
import type { Log } from '#engine/log.ts';
import { withApi } from './api-harness.ts';

const errors: unknown[] = [];
const log: Log = { info() {}, warn: (details) => errors.push(details), error: (details) => errors.push(details) };
// Every request comes from elsewhere, so that the limits of an address do not hide what is behind them.
const api = await withApi({ after }, { log, front: { ...PLAIN_FRONT, trustProxy: { kind: 'all' } } });
const client = await api.client('custom');
const webhookId = await client.webhook();
await api.session('fuzzed');

/** Every route of the OpenAPI document, with ids that lead somewhere. */
const document = JSON.parse(await (await fetch(`${api.address}/v1/openapi.json`)).text());
interface Documented {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}
interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}
const routes = Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const IDS: Readonly<Record<string, readonly string[]>> = {
  webhookId: [webhookId, 'wh_x'],
  feedId: ['session.status', 'nothing'],
  sessionId: ['fuzzed', 'nothing'],
};

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '*',
    'null',
    '-1',
    '1e9',
    '%',
    '../..',
    '__proto__',
    'a'.repeat(5_000),
    '\u0000',
    '\ud800',
    "'; drop table",
  ),
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.constantFrom(null, [], {}, 0, true, 1e308, -0));

const request = fc.constantFrom(...routes).chain(({ path, method, operation }) => {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const schema = operation.requestBody?.content['application/json']?.schema;
  const known = Object.keys(schema?.properties ?? {});
  const segments = path.split('/').map((segment) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    return fc
      .oneof(
        fc.constantFrom(...(IDS[name] ?? ['x'])),
        text.filter((value) => value !== '' && value.isWellFormed()),
      )
      .map(encodeURIComponent);
  });
  return fc.record({
    method: fc.constant(method),
    path: fc.tuple(...segments).map((parts) => parts.join('/')),
    query: fc.dictionary(fc.oneof(fc.constantFrom('x', ...query), fc.string({ maxLength: 5 })), text, { maxKeys: 4 }),
    body: fc.oneof(
      fc
        .dictionary(fc.constantFrom('x', '__proto__', ...known), json, { maxKeys: 6 })
        .map((value) => JSON.stringify(value)),
      json.map((value) => JSON.stringify(value)),
      text,
    ),
    contentType: fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data',
    ),
    address: fc.ipV4(),
    cookie: fc.constantFrom('', 'session=', 'session=abc; session=def', ';;=;'),
    authorization: fc.constantFrom(
      `Bearer ${client.token}`,
      `Bearer ${client.token}`,
      `Bearer ${client.token}`,
      '',
      'Basic Og==',
      'Bearer \u00ff',
    ),
  });
});

test('no request, however malformed, gets a 5xx', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, contentType, address, cookie, authorization }) => {
      const search = new URLSearchParams(
        Object.fromEntries(Object.entries(query).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])),
      );
      const response = await fetch(`${api.address}/v1${path}?${search}`, {
        method,
        headers: {
          'content-type': contentType,
          'x-forwarded-for': address,
          authorization,
          ...(cookie !== '' && { cookie }),
        },
        ...(method === 'GET' ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(15_000),
      });
      const isStream = response.headers.get('content-type') === 'text/event-stream';
      const answer = isStream ? '' : await response.text();
      if (isStream) await response.body!.cancel();
      // What is not configured here says so, whatever is sent.
      const told = response.status === 503 && JSON.parse(answer).code === 'billing_not_configured';
      assert.ok(response.status < 500 || told, `${response.status} ${answer}`);
    }),
    { numRuns: 2_500 },
  );
  assert.deepEqual(errors, []);
});
