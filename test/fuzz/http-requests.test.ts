// Valid and damaged requests to every operation of the published OpenAPI document. Every response is one that the
// document describes, and a refused request leaves nothing behind.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { PLAIN_FRONT } from '#api/http/front-settings.ts';
import type { Log } from '#engine/base/log.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { damagedBytes, damagedJson, oddJson } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';
import { type KnownTexts, type Schema, schemaValue } from './schema-values.ts';

const ANSWER_MS_MAX = 15_000;
/** Requests of one account, below its hourly limit. */
const REQUESTS_PER_CLIENT = 20_000;

const errors: unknown[] = [];
const log: Log = { info() {}, warn: (details) => errors.push(details), error: (details) => errors.push(details) };
// Every request comes from another address, so that the limits per address do not hide the code behind them.
const api = await withApi({ after }, { log, front: { ...PLAIN_FRONT, trustProxy: { kind: 'all' } } });
let client = await api.client('custom');
const webhookId = await client.webhook();
await api.session('fuzzed', { timeline: steadyTimeline(10, 100) });

interface Documented {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>;
}
const document = (await api.call('GET', '/v1/openapi.json')).body;
const operations = Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
type Operation = (typeof operations)[number];

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
ajv.addVocabulary([...Object.keys(document), 'discriminator']).addSchema(document, 'document', false, false);
const validators = new Map<string, ValidateFunction>();

function validatorFor({ path, method }: Operation, status: number): ValidateFunction {
  const parts = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
  const pointer = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `document#/${pointer}` });
    validators.set(pointer, validate);
  }
  return validate;
}

const resolve = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1)!];
const KNOWN: KnownTexts = {
  webhookId: [webhookId, 'wh_x'],
  feedId: [...FEEDS.map(({ feedId }) => feedId), '*', 'timing.*'],
  feedIds: [...FEEDS.map(({ feedId }) => feedId), '*', 'analytics.*'],
  webhookUrl: [
    'https://hooks.example.com/in',
    'http://localhost:9/x',
    'https://nowhere.example.com/',
    'https://10.0.0.1',
  ],
  sessionId: ['fuzzed', 'demo-race', 'nothing'],
  session: ['fuzzed', 'demo-race', 'nothing'],
  raceId: ['2026-fuzzed'],
  runId: ['run_x'],
  cursor: ['AAAAAAAAAAE'],
  grant_type: ['client_credentials'],
  client_id: [client.clientId],
  client_secret: [client.clientSecret],
  email: ['fuzz@example.com', 'FUZZ@example.com ', 'a@b', 'ä@exämple.com'],
  drivers: ['VER', 'ham'],
  driverNumbers: ['1', '44'],
};

const oddText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }).filter((text) => text.isWellFormed() && text !== ''),
  fc.constantFrom(
    '..',
    '.',
    '%',
    '%2e%2e',
    '\u0000',
    '__proto__',
    'constructor',
    'a'.repeat(3_000),
    '-1',
    '1e9',
    '0x10',
  ),
  fc.constantFrom('9'.repeat(40), "'; drop table account", '\ufeff', ' ', '＋', '🏁', 'wh_', 'run_'),
);

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function pathOf({ path }: Operation): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    const known = KNOWN[name] ?? ['x'];
    // A client resolves dot segments itself: raw-http.test.ts sends those.
    const odd = oddText.filter((text) => !/^(\.|%2e)+$/i.test(text));
    return fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 3 }, odd).map(encodeURIComponent);
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

function queryOf({ operation }: Operation): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const pair = fc.constantFrom(...parameters, { name: 'x', schema: { type: 'string' } }).chain(({ name, schema }) => {
    const value = fc.oneof({ arbitrary: schemaValue(schema, resolve, KNOWN, name).map(plain), weight: 4 }, oddText);
    return value.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`);
  });
  const rubbish = fc.constantFrom(
    '',
    '%',
    '%zz',
    '%ff=%fe',
    '&&==',
    'limit',
    'limit=%00',
    'session=%ed%a0%80',
    '?',
    ';',
  );
  return fc.oneof(
    { arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')), weight: 5 },
    fc.tuple(pair, rubbish).map((parts) => parts.join('&')),
    rubbish,
  );
}

/** A body with its type. More often than not it is valid, so that the code behind the first check is reached. */
function bodyOf({ operation }: Operation): fc.Arbitrary<{ readonly body: Buffer; readonly contentType: string }> {
  const schema = operation.requestBody?.content['application/json']?.schema ?? {};
  const valid = schemaValue(schema, resolve, KNOWN).map((value) => JSON.stringify(value));
  const json = (text: string | Uint8Array, contentType = 'application/json') => {
    return { body: Buffer.from(text as string), contentType };
  };
  const twice = (text: string): string => text.replace('{', `{${text.slice(1, text.search(/,"|\}$/))},`);
  const form = (text: string): string =>
    new URLSearchParams(
      Object.entries(JSON.parse(text)).map(([name, value]): [string, string] => [name, plain(value).toWellFormed()]),
    ).toString();
  return valid.chain((text) =>
    fc.oneof(
      { arbitrary: fc.constant(json(text)), weight: 4 },
      { arbitrary: damagedJson(text).map((damaged) => json(damaged)), weight: 5 },
      { arbitrary: damagedBytes([text]).map((bytes) => json(bytes)), weight: 2 },
      oddJson.map((odd) => json(odd)),
      fc.constantFrom(
        json(''),
        json(`\ufeff${text}`),
        json(twice(text)),
        json(Buffer.from(text, 'utf16le')),
        json(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.of(0xc3, 0x28, 0xff)])),
        json(gzipSync(text)),
        json(Buffer.of(0x1f, 0x8b, 8)),
        json(`{"a":`.repeat(10_000)),
        json('['.repeat(60_000)),
        json(`${text.slice(0, -1)},"x":"${'x'.repeat(66_000)}"}`),
        json(form(text), 'application/x-www-form-urlencoded'),
        json(`${form(text)}&grant_type=x&%ff=%zz`, 'application/x-www-form-urlencoded; charset=utf-8'),
        json(text, 'text/plain'),
        json(text, 'application/json; charset=utf-16'),
        json(text, 'multipart/form-data; boundary=x'),
      ),
    ),
  );
}

const authorization = fc.oneof(
  { arbitrary: fc.constant('ours'), weight: 8 },
  fc.constantFrom('', 'Bearer', 'Bearer ', 'Basic Og==', 'Basic ====', 'Bearer \u00ff', `Bearer ${'x'.repeat(2_000)}`),
);

const request = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    path: pathOf(operation),
    query: queryOf(operation),
    content: bodyOf(operation),
    authorization,
    cookie: fc.constantFrom('', '', 'session=', 'session=abc; session=def', ';;=;', `session=${'A'.repeat(43)}`),
    address: fc.ipV4(),
  }),
);
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** What the responses report as created, to compare with the database. */
const made = { webhooks: 1 };
const signedUp = new Set<string>();

async function send(given: Request): Promise<string> {
  const { operation, path, query, content, address, cookie } = given;
  const method = operation.method.toUpperCase();
  const token = given.authorization === 'ours' ? `Bearer ${client.token}` : given.authorization;
  const response = await fetch(`${api.address}/v1${path}?${query}`, {
    method,
    headers: {
      'content-type': content.contentType,
      'x-forwarded-for': address,
      ...(token !== '' && { authorization: token }),
      ...(cookie !== '' && { cookie }),
    },
    ...(method !== 'GET' && { body: content.body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body!.cancel();
    return 'streamed';
  }
  // The HTTP library itself refuses more than 4 KiB of path and headers, with its own text.
  if (response.status === 431) return 'too long';
  check(given, response, await response.text());
  return response.ok ? 'taken' : 'refused';
}

function check({ operation, content }: Request, { status, headers }: Response, text: string): void {
  const name = `${operation.method} ${operation.path} ${status}`;
  const body: { readonly code: unknown; readonly statusCode: unknown } = JSON.parse(text);
  assert.ok(operation.operation.responses[status] !== undefined, `${name} is not documented: ${text}`);
  assert.equal(headers.get('content-type'), 'application/json', name);
  const validate = validatorFor(operation, status);
  assert.ok(validate(body), `${name}: ${ajv.errorsText(validate.errors)} in ${text}`);
  // Operations that are not configured here report that, whatever the request.
  if (status >= 500) assert.equal(body.code, 'billing_not_configured', `${name}: ${text}`);
  if (status >= 400) assert.equal(body.statusCode, status, name);
  const what = `${operation.method} ${operation.path}`;
  if (what === 'post /webhooks' && status === 201) made.webhooks++;
  if (what === 'post /auth/signup' && status === 201) {
    signedUp.add(JSON.parse(new TextDecoder().decode(content.body)).email.trim().toLowerCase());
  }
  if (what === 'delete /webhooks/{webhookId}' && status === 200) made.webhooks--;
}

test('every request gets a documented response, and a refused one leaves nothing behind', async (t) => {
  const cases = new Cases(t, 'requests');
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      if (cases.count % REQUESTS_PER_CLIENT === REQUESTS_PER_CLIENT - 1) {
        client = await api.client('custom');
      }
      cases.add(await send(given));
    }),
    fuzzRuns(300),
  );
  assert.deepEqual(errors, []);
  const [webhooks] = await api.sql`select count(*)::int as count from webhook where deleted_at is null`;
  assert.equal(webhooks!.count, made.webhooks);
  const [half] = await api.sql`
    select count(*)::int as count from webhook w
    where deleted_at is null and not exists (select 1 from subscription s where s.webhook_id = w.webhook_id)`;
  assert.equal(half!.count, 0, 'no endpoint is without subscriptions');
  const [accounts] = await api.sql`select count(*)::int as count from account where verified_at is null`;
  assert.ok(accounts!.count <= signedUp.size, `${accounts!.count} accounts of ${signedUp.size} sign-ups`);
  const answer = await client.call('GET', '/v1/feeds');
  assert.equal(answer.status, 200, 'the API still responds');
});
