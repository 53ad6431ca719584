import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { NamedSchemas } from '#api/docs/named-schemas.ts';
import { samplePayload } from '#api/webhooks/sample-payload.ts';
import { parseFilters } from '#engine/delivery/filter/filter-parser.ts';
import { FILTERS_SCHEMA } from '#schemas/http/filters.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { type Answer, withApi } from '#test/support/api-harness.ts';

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>;
}

const api = await withApi({ after }, { publicUrl: 'https://api.example.com', headerPrefix: 'X-Race' });
const fetched = await api.call('GET', '/v1/openapi.json');
const document = fetched.body;
const paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>> = document.paths;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false });
ajv.addVocabulary([...Object.keys(document), 'discriminator']).addSchema(document, 'document', false, false);

function schemaAt(...pointer: readonly string[]) {
  const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return ajv.compile({ $ref: `document#/${escaped.join('/')}` });
}

/** Asserts that the operation documents the status of a response and that the body matches the schema for it. */
function assertAsDocumented(name: string, { status, body }: Answer): void {
  const [method, path] = name.split(' ') as [string, string];
  const operation = paths[path]![method.toLowerCase()]!;
  assert.ok(operation.responses[status], `${name} documents ${status}: ${JSON.stringify(body)}`);
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content'];
  const validate = schemaAt(...pointer, 'application/json', 'schema');
  assert.ok(validate(body), `${name} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

test('the document is valid OpenAPI 3.1 and names the address of the service', async () => {
  assert.equal(fetched.headers.get('content-type'), 'application/json');
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.deepEqual([valid, errors ?? []], [true, []]);
  assert.equal(validator.version, '3.1');
  assert.deepEqual(document.servers, [{ url: 'https://api.example.com/v1' }]);
  assert.equal(
    document.components.securitySchemes.clientCredentials.flows.clientCredentials.tokenUrl,
    'https://api.example.com/v1/oauth',
  );
});

test('the document lists every client route exactly once, and no other route', () => {
  const source = readFileSync(new URL('../../api/app.ts', import.meta.url), 'utf8');
  const routes = [...source.matchAll(/route\('(\w+)', '(\/[^']*)'/g)].map(([, method, path]) => `${method} ${path}`);
  assert.ok(routes.length > 30, 'routes are found in the source');
  const inward =
    /^\w+ (\/(?!v1\/)|\/v1\/(openapi\.json|billing\/|console\/(token|account|demo|live|feeds|match|overlaps\/:subject)$))/;
  const expected = routes
    .filter((route) => !inward.test(route))
    .map((route) => route.replace('/v1', '').replaceAll(/:(\w+)/g, '{$1}'));
  assert.deepEqual(operations.map(({ name }) => name).sort(), expected.sort());
});

test('the document contains the whole public interface', () => {
  const promised = [
    ...['POST /auth/signup', 'GET /auth/verify-email', 'POST /auth/verify-email', 'POST /auth/resend-verification'],
    ...['POST /auth/login', 'POST /auth/logout', 'POST /oauth/credentials', 'POST /oauth'],
    ...['POST /console/regenerate-secret', 'POST /webhooks', 'GET /webhooks', 'GET /webhooks/{webhookId}/secret'],
    ...['PATCH /webhooks/{webhookId}', 'PATCH /webhooks/{webhookId}/feeds/{feedId}', 'DELETE /webhooks/{webhookId}'],
    ...[
      'GET /webhooks/{webhookId}/logs',
      'POST /webhooks/{webhookId}/test',
      'POST /webhooks/{webhookId}/rotate-secret',
    ],
    ...['GET /feeds', 'GET /events', 'GET /simulate/sessions', 'GET /simulate/quota', 'POST /simulate/prepare'],
    ...['GET /simulate/status', 'GET /simulate/stream', 'DELETE /simulate/stream'],
    ...['GET /preview/upcoming', 'GET /preview/{sessionId}', 'GET /fantasy/races/{raceId}/scores'],
    ...['GET /fantasy/session/{sessionId}/scores', 'GET /fantasy/session/{sessionId}/pit-times'],
    ...['GET /usage', 'GET /usage/by-feed', 'GET /usage/latency'],
  ];
  const documented = new Set(operations.map(({ name }) => name));
  assert.deepEqual(
    promised.filter((name) => !documented.has(name)),
    [],
  );
});

test('every operation has a unique id, a summary and a parameter for each variable part of its path', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { name, operation } of operations) {
    assert.match(operation.operationId, /^[a-z][A-Za-z0-9]*$/);
    assert.ok(operation.summary.length > 5, name);
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const documented = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      documented.map((parameter) => [parameter.name, parameter.required]),
      inPath.map((parameter) => [parameter, true]),
    );
  }
  assert.equal(paths['/webhooks/{webhookId}/rotate-secret']!.post!.operationId, 'postWebhooksByWebhookIdRotateSecret');
});

test('every schema in the document compiles and contains nothing but JSON Schema', () => {
  for (const name of Object.keys(document.components.schemas)) schemaAt('components', 'schemas', name);
  for (const { name, operation } of operations) {
    const [method, path] = name.split(' ') as [string, string];
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const type of Object.keys(content)) {
        schemaAt('paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
      }
    }
  }
  assert.doesNotMatch(JSON.stringify(document), /"(~|\$id|\$schema)/);
});

test('error responses document the codes that the operation can return', async () => {
  const codes = (path: string, method: string, status: string): string[] => {
    const { schema } = paths[path]![method]!.responses[status]!.content['application/json'] as {
      schema: { allOf: [object, { properties: { code: { enum: string[] } } }] };
    };
    return schema.allOf[1].properties.code.enum;
  };
  assert.deepEqual(codes('/webhooks', 'post', '400').sort(), [
    'invalid_body',
    'invalid_filters',
    'invalid_json',
    'invalid_query',
  ]);
  assert.deepEqual(codes('/feeds', 'get', '400'), ['invalid_query']);
  assert.deepEqual(codes('/feeds', 'get', '401'), ['unauthorized']);
  assert.deepEqual(codes('/feeds', 'get', '429'), ['rate_limit_exceeded']);
  assert.deepEqual(codes('/webhooks/{webhookId}', 'delete', '404'), ['not_found']);
  assert.deepEqual(codes('/oauth', 'post', '401'), ['invalid_client']);
  assert.deepEqual(Object.keys(paths['/feeds']!.get!.responses), ['200', '400', '401', '429', '500', '503']);
  assert.deepEqual(Object.keys(paths['/simulate/stream']!.get!.responses['200']!.content), ['text/event-stream']);
  assert.deepEqual(paths['/oauth']!.post!.security, []);
});

test('real responses, including errors, match the document', async () => {
  const client = await api.client('developer');
  const webhookUrl = 'https://hooks.example.com/in';
  await api.session('2026-monaco-race');
  const created = await client.call('POST', '/v1/webhooks', {
    webhookUrl,
    feedId: 'timing.data',
    filters: { drivers: ['VER'] },
  });
  assert.equal(created.status, 201);
  assertAsDocumented('POST /webhooks', created);
  const id: string = created.body.data.webhookId;
  const calls: [name: string, path: string, body?: object][] = [
    ['GET /feeds', '/v1/feeds?limit=3'],
    ['GET /feeds', '/v1/feeds?limit=x'],
    ['GET /webhooks', '/v1/webhooks'],
    ['GET /webhooks/{webhookId}/secret', `/v1/webhooks/${id}/secret`],
    ['GET /webhooks/{webhookId}/secret', '/v1/webhooks/wh_none/secret'],
    ['GET /webhooks/{webhookId}/logs', `/v1/webhooks/${id}/logs`],
    ['PATCH /webhooks/{webhookId}', `/v1/webhooks/${id}`, { active: false }],
    ['PATCH /webhooks/{webhookId}', `/v1/webhooks/${id}`, { filters: { nobody: 1 } }],
    ['PATCH /webhooks/{webhookId}/feeds/{feedId}', `/v1/webhooks/${id}/feeds/timing.data`, { active: false }],
    ['POST /webhooks', '/v1/webhooks', { webhookUrl, feedId: 'no.such' }],
    ['GET /simulate/sessions', '/v1/simulate/sessions'],
    ['GET /simulate/quota', '/v1/simulate/quota'],
    ['GET /simulate/status', '/v1/simulate/status?session=2026-monaco-race'],
    ['POST /simulate/prepare', '/v1/simulate/prepare', { sessionId: '2026-monaco-race' }],
    ['GET /simulate/runs', '/v1/simulate/runs'],
    ['GET /usage', '/v1/usage'],
    ['GET /usage/by-feed', '/v1/usage/by-feed'],
    ['GET /usage/latency', '/v1/usage/latency'],
    ['GET /events', '/v1/events'],
    ['GET /preview/upcoming', '/v1/preview/upcoming'],
    ['GET /preview/{sessionId}', '/v1/preview/2026-monaco-race'],
    ['GET /fantasy/races/{raceId}/scores', '/v1/fantasy/races/2026-monaco/scores'],
    ['GET /fantasy/session/{sessionId}/scores', '/v1/fantasy/session/2026-monaco-race/scores'],
    ['GET /fantasy/session/{sessionId}/pit-times', '/v1/fantasy/session/2026-monaco-race/pit-times'],
    ['DELETE /webhooks/{webhookId}', `/v1/webhooks/${id}`],
    ['DELETE /webhooks/{webhookId}', `/v1/webhooks/${id}`],
  ];
  for (const [name, path, body] of calls) {
    assertAsDocumented(name, await client.call(name.split(' ')[0]!, path, body));
  }
  const free = await api.client('free');
  const scores = await free.call('GET', '/v1/fantasy/races/2026-monaco/scores');
  assert.equal(scores.status, 403);
  assertAsDocumented('GET /fantasy/races/{raceId}/scores', scores);
  assertAsDocumented('GET /feeds', await api.call('GET', '/v1/feeds'));
  assertAsDocumented('POST /auth/signup', await api.call('POST', '/v1/auth/signup', { email: 'x' }));
  const stranger = { email: 'nobody@example.com', password: 'no such account' };
  assertAsDocumented('POST /auth/login', await api.call('POST', '/v1/auth/login', stranger));
  assertAsDocumented('GET /auth/verify-email', await api.call('GET', '/v1/auth/verify-email?token=none'));
  assertAsDocumented('POST /auth/logout', await api.call('POST', '/v1/auth/logout'));
  assertAsDocumented('POST /console/billing/portal', await api.call('POST', '/v1/console/billing/portal'));
  assertAsDocumented('POST /oauth', await api.call('POST', '/v1/oauth', { grant_type: 'password' }));
  assertAsDocumented('POST /oauth', await api.call('POST', '/v1/oauth', '{'));
});

test('the documented filters schema accepts exactly what the parser accepts', () => {
  const fits = ajv.compile(FILTERS_SCHEMA);
  const parses = (filters: unknown) =>
    'ok' in parseFilters(filters, { scope: 'endpoint', feedIds: ['timing.data', 'events.race'] });
  const list = (...values: readonly unknown[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });
  const place = fc.constantFrom<unknown>(1, 20, 99, 0, 100, 1.5, '1', null);
  const filters = fc.record(
    {
      drivers: fc.oneof(list('VER', 'ham', 'VERS', 'V1R', 7, ''), fc.constantFrom(null, 'VER', {})),
      driverNumbers: list('1', '44', '044', '1000', 44),
      constructors: list('red bull', 'x'.repeat(64), 'x'.repeat(65), '', 5),
      positions: fc.oneof(
        fc.record({ max: place, other: fc.constant(1) }, { requiredKeys: [] }),
        fc.constantFrom([], null),
      ),
      eventTypes: list('overtake', 'no_such_event', 1),
      unknown: fc.constant(true),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filters, (given) => assert.equal(fits(given), parses(given), JSON.stringify(given))),
    { numRuns: 2_000 },
  );
  for (const whole of [null, [], 'drivers', 1]) assert.deepEqual([fits(whole), parses(whole)], [false, false]);
  const many = { drivers: Array.from({ length: 65 }, () => 'VER') };
  assert.deepEqual([fits(many), parses(many)], [false, false]);
});

test('the document describes a delivery with its headers and the payload of every feed', () => {
  const { parameters, requestBody } = document.webhooks.delivery.post;
  const names: string[] = parameters.map(({ name }: { name: string }) => name);
  for (const name of ['X-Race-Signature', 'X-Race-Feed', 'X-Race-Mode', 'X-Race-Replay-Run-Id', 'webhook-signature']) {
    assert.ok(names.includes(name), name);
  }
  const { schema } = requestBody.content['application/json'];
  assert.deepEqual(schema, { $ref: '#/components/schemas/WebhookPayload' });
  const { schemas } = document.components;
  const { oneOf, discriminator } = schemas.WebhookPayload;
  assert.equal(oneOf.length, feedsOf(['f1']).length);
  assert.equal(discriminator.propertyName, 'feed');
  assert.equal(discriminator.mapping['timing.data'], '#/components/schemas/TimingDataPayload');
  assert.equal(schemas.TimingDataPayload.properties.feed.const, 'timing.data');
  const events = schemas.EventsRacePayload;
  assert.equal(events.oneOf.length, RACE_EVENT_TYPES.length);
  assert.equal(events.discriminator.propertyName, 'event');
  assert.equal(events.discriminator.mapping.pit_stop, '#/components/schemas/PitStopEvent');
  const { properties, required } = schemas.PitStopEvent;
  assert.deepEqual([properties.feed.const, properties.event.const], ['events.race', 'pit_stop']);
  assert.deepEqual(required.slice(0, 1), ['feed']);
  assert.deepEqual(properties.drivers.items, { $ref: '#/components/schemas/Driver' });
  const validate = schemaAt('webhooks', 'delivery', 'post', 'requestBody', 'content', 'application/json', 'schema');
  const test = JSON.parse(Buffer.from(samplePayload('timing.data', 0)).toString());
  assert.ok(validate(test), ajv.errorsText(validate.errors));
  const status = {
    feed: 'session.status',
    seriesId: 'f1',
    sessionId: 'demo-race',
    sequence: 1,
    utc: '2026-01-01T00:00:00.000Z',
  };
  assert.ok(validate({ ...status, data: { status: 'Started' } }), ajv.errorsText(validate.errors));
  assert.equal(validate({ ...status, feed: 'no.such', data: {} }), false);
});

test('two different schemas cannot share a name', () => {
  const schemas = new NamedSchemas({});
  schemas.refer({ title: 'Thing', type: 'string' });
  assert.deepEqual(schemas.refer({ title: 'Thing', type: 'string' }), { $ref: '#/components/schemas/Thing' });
  assert.throws(() => schemas.refer({ title: 'Thing', type: 'integer' }), /only one schema has the name Thing/);
  assert.deepEqual(schemas.refer({ title: 'a few words', type: 'integer' }), { title: 'a few words', type: 'integer' });
});

test('a list says how many items a page has by default, and that is how many it has', async () => {
  const client = await api.client('custom');
  const lists = operations.filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'offset'));
  assert.ok(lists.length >= 5);
  for (const { name, operation } of lists) {
    const described = operation.parameters!.find((parameter) => parameter.name === 'limit') as { description?: string };
    const { body } = await client.call('GET', `/v1${name.replace('GET ', '')}`);
    assert.equal(described.description, `Most items of this page. Default: ${body.data.limit}.`, name);
  }
});

test('where parameters of a stream name several things, the document says how they are joined, and then what is meant without them', () => {
  const { parameters = [] } = paths['/stream']!.get!;
  const feeds = parameters.find(({ name }) => name === 'feeds') as { description?: string } | undefined;
  assert.match(feeds?.description ?? '', /^Feed ids, joined by commas; .* Default: all feeds of the plan\.$/);
});
