// What an error says of a value that its schema refuses. Nobody has to read a regular expression.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TSchema } from 'typebox';
import { SubscribeRequest } from '#api/grpc/grpc-requests.ts';
import { schemaCheck } from '#api/http/schema-check.ts';
import { BackupManifest } from '#schemas/backup/manifest.ts';
import { ResendOrder } from '#schemas/http/resends.ts';
import { withApi } from '#test/support/api-harness.ts';
import { TOOLS } from '#workers/mcp/tools.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: TSchema & { readonly pattern?: string };
}
interface Documented {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
}

const api = await withApi({ after });
const client = await api.client('custom');
const document = (await api.call('GET', '/v1/openapi.json')).body;
const operations = Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every pattern in a schema, references to the document followed. */
function patternsIn(part: unknown, followed: readonly string[] = []): string[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((one) => patternsIn(one, followed));
  const { $ref, pattern, ...rest } = part as { $ref?: unknown; pattern?: unknown };
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : null;
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(name === null || followed.includes(name)
      ? []
      : patternsIn(document.components.schemas[name], [...followed, name])),
    ...Object.values(rest).flatMap((one) => patternsIn(one, followed)),
  ];
}

function refusedBy(pattern: string): string {
  const refused = ['', '\u0000'].find((text) => !new RegExp(pattern, 'u').test(text));
  assert.ok(refused !== undefined, pattern);
  return refused;
}

/** Such as `must be a month such as 2026-11`; not the "documented form", which is said of a pattern without words. */
const IN_WORDS = /^must be (?:an?|the) [\w -]+?(?: such as "?([\w/.:-]+)"?)?$/;

const PATTERNS = new Set([
  ...operations.flatMap(({ operation }) => [...patternsIn(operation.parameters), ...patternsIn(operation.requestBody)]),
  ...[...TOOLS.map(({ input }) => input), BackupManifest, SubscribeRequest].flatMap((schema) => patternsIn(schema)),
]);

test('no error shows a pattern: each says in words what is expected, and its example is right', () => {
  assert.ok(PATTERNS.size >= 9, `${PATTERNS.size} patterns`);
  for (const pattern of PATTERNS) {
    const check = schemaCheck({ type: 'string', pattern } as TSchema, 'the value');
    const [error, ...others] = check(refusedBy(pattern));
    assert.deepEqual(others, []);
    assert.ok(error!.startsWith('the value '));
    const [, example] = IN_WORDS.exec(error!.slice('the value '.length)) ?? assert.fail(`${pattern}: ${error}`);
    if (example !== undefined) assert.deepEqual(check(example), [], error);
  }
});

test('a pattern that nobody has put into words is not shown, either', () => {
  const check = schemaCheck({ type: 'object', properties: { size: { type: 'string', pattern: '^[a-z]+$' } } }, 'it');
  assert.deepEqual(check({ size: '4' }), ['size must have the documented form']);
});

test('a query parameter that breaks its pattern is named', async () => {
  let asked = 0;
  for (const { path, method, operation } of operations) {
    for (const { name, in: place, schema } of operation.parameters ?? []) {
      if (place !== 'query' || schema.pattern === undefined) continue;
      const url = `/v1${path.replaceAll(/\{\w+\}/g, 'x')}?${name}=${encodeURIComponent(refusedBy(schema.pattern))}`;
      const { status, body } = await client.call(method.toUpperCase(), url);
      assert.deepEqual([status, body.code], [400, 'invalid_query'], url);
      assert.match(body.error, new RegExp(`^${name} must be (?:an?|the) `), url);
      asked++;
    }
  }
  assert.ok(asked >= 4);
  const { body } = await client.call('GET', '/v1/usage/sla?month=2026-13');
  assert.equal(body.error, 'month must be a month such as 2026-11');
});

test('a value that may have one of several types is refused in one sentence', () => {
  assert.deepEqual(schemaCheck(ResendOrder, 'the body')({ since: {} }), ['since must be a text or a whole number']);
  const nullable = { type: 'object', properties: { name: { type: ['string', 'null'] } } } as TSchema;
  assert.deepEqual(schemaCheck(nullable, 'it')({ name: 4 }), ['name must be a text or null']);
});

test('a list that is too long is refused with its largest length', () => {
  const list = { type: 'array', items: { type: 'string' }, maxItems: 2 } as TSchema;
  assert.deepEqual(schemaCheck(list, 'the list')(['a', 'b', 'c']), ['the list must have at most 2 entries']);
});
