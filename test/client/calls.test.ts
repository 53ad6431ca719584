// The calls and payloads of the client are those of the OpenAPI document. WRITE_CLIENT=1 writes them anew.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Calls } from '#api/client/calls.ts';
import { SlipstreamClient } from '#api/client/client.ts';
import { operationsOf } from '#api/docs/portal/reference-pages.ts';
import { FEEDS, feedsOf } from '#schemas/webhook/feeds.ts';
import { ROOT, read } from '#test/docs/documents.ts';
import { withApi } from '#test/support/api-harness.ts';
import { CALL_NAMES, EVENT_STREAMS } from '#workers/client/call-names.ts';
import { clientTypes } from '#workers/client/client-types.ts';

const everySeries = [...new Set(FEEDS.map(({ seriesId }) => seriesId))];
const api = await withApi({ after }, { feeds: feedsOf(everySeries) });
const document = (await api.call('GET', '/v1/openapi.json')).body;

test('every operation that a bearer token opens has a call, and no other has one', () => {
  const bearers = operationsOf(document)
    .filter(({ operation }) => operation.security.some((scheme) => 'bearer' in scheme))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !EVENT_STREAMS.has(name));
  assert.ok(bearers.length > 30);
  assert.deepEqual(Object.keys(CALL_NAMES).sort(), bearers.sort());
  const methods = Object.getOwnPropertyNames(Calls.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual(methods.sort(), Object.values(CALL_NAMES).sort());
  assert.ok(SlipstreamClient.prototype instanceof Calls);
});

test('docs/client.md names every call beside its operation', () => {
  const rows = [...read('docs/client.md').matchAll(/^\| `(\w+)` +\| `(\w+ \/v1\/[^`]+)` +\|$/gm)];
  assert.deepEqual(
    rows.map(([, name, operation]) => `${name}: ${operation!.replaceAll(/\b[A-Z_]{2,}(?=\/|$)/g, '{}')}`),
    Object.entries(CALL_NAMES).map(([operation, name]) => {
      return `${name}: ${operation.replaceAll(/\{\w+\}/g, '{}').replace(' ', ' /v1')}`;
    }),
  );
});

test('the calls and payloads of the client are those of the OpenAPI document', () => {
  for (const [name, text] of Object.entries(clientTypes(document))) {
    const path = `api/client/${name}.ts`;
    const formatted = execFileSync(`${ROOT}node_modules/.bin/biome`, ['format', `--stdin-file-path=${path}`], {
      cwd: ROOT,
      input: text,
    }).toString();
    if (process.env.WRITE_CLIENT === '1') writeFileSync(`${ROOT}${path}`, formatted);
    const advice = `WRITE_CLIENT=1 node --test test/client/calls.test.ts writes ${path} anew`;
    assert.ok(readFileSync(`${ROOT}${path}`, 'utf8') === formatted, advice);
  }
});
