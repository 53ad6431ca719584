// Every operation of the OpenAPI document has a description and an example that fits its schemas.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OPERATION_NOTES, PARAMETER_DESCRIPTIONS } from '#api/docs/operation-notes.ts';
import { operationsOf } from '#api/docs/portal/reference-pages.ts';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const document = (await api.call('GET', '/v1/openapi.json')).body;
const operations = operationsOf(document).map((listed) => ({ ...listed, name: `${listed.method} ${listed.path}` }));
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(document, 'document');

/** A checker of a schema that refers to others of the document. */
function checkOf(schema: object) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
}

test('every operation has a description', () => {
  const without = operations.filter(({ operation }) => (operation.description ?? '').length < 40);
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
    'add a row to api/docs/operation-notes.ts',
  );
});

test('every parameter has a description, and every required one an example', () => {
  const wrong = operations.flatMap(({ name, operation: { parameters = [] } }) =>
    parameters
      .filter(({ description, required, example }) => description === undefined || (required && example === undefined))
      .map((parameter) => `${name}: ${parameter.name}`),
  );
  assert.deepEqual(wrong, [], 'add it to the notes of the operation or to PARAMETER_DESCRIPTIONS');
});

test('every field of requests and answers has a description', () => {
  // Payloads have pages of their own.
  const schemas = Object.entries({ ...document.paths, ...document.components.schemas }).filter(
    ([name]) => !/(Payload|Event)$/.test(name),
  );
  assert.deepEqual(
    schemas.flatMap(([place, schema]) => undescribed(schema as object, place)),
    [],
    'add it to the schema in schemas/http/',
  );
});

test('a field without a description is found, wherever it is', () => {
  const field = { type: 'object', properties: { lap: { type: 'integer' } } };
  const described = { type: 'object', description: 'The leader.', properties: field.properties };
  assert.deepEqual(undescribed({ schema: field }, 'a'), ['a.schema.lap']);
  assert.deepEqual(undescribed({ anyOf: [{ type: 'array', items: field }] }, 'a'), ['a.anyOf.0.items.lap']);
  assert.deepEqual(undescribed({ properties: { leader: described } }, 'a'), ['a.leader.lap']);
});

/** Not the wrapper of answers, a schema with a name, which is described where it is defined, and what narrows another one. */
function undescribed(schema: object, place: string): string[] {
  return Object.entries(schema).flatMap(([key, part]) => {
    if (typeof part !== 'object' || part === null || ['example', 'examples', 'allOf'].includes(key)) return [];
    if (key !== 'properties') return undescribed(part, `${place}.${key}`);
    return Object.entries(part as Record<string, object>).flatMap(([name, field]) => {
      const isDescribed = 'description' in field || '$ref' in field || 'anyOf' in field || name === 'data';
      return [...(isDescribed ? [] : [`${place}.${name}`]), ...undescribed(field, `${place}.${name}`)];
    });
  });
}

test('every body and every parameter has an example that its schema accepts', () => {
  for (const { name, operation } of operations) {
    for (const { schema, example, name: parameter } of operation.parameters ?? []) {
      if (example !== undefined) assert.ok(checkOf(schema)(example), `${name}: ${parameter}`);
    }
    for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
      assert.ok(example !== undefined, `${name} has an example of its body`);
      const check = checkOf(schema);
      assert.ok(check(example), `${name}: ${ajv.errorsText(check.errors)}`);
    }
  }
});

test('every operation with a JSON answer has an example of it that its schema accepts', () => {
  const without: string[] = [];
  for (const { name, operation } of operations) {
    const answers = Object.entries(operation.responses).filter(([status]) => status < '3');
    const media = answers.flatMap(([, { content = {} }]) => content['application/json'] ?? []);
    const examples = media.filter(({ example }) => example !== undefined);
    if (media.length > 0 && examples.length === 0 && !UNRECORDED.includes(name)) without.push(name);
    for (const { schema, example } of examples) {
      const check = checkOf(schema);
      assert.ok(check(example), `${name}: ${ajv.errorsText(check.errors)}`);
    }
  }
  assert.deepEqual(without, [], 'WRITE_EXAMPLES=1 node --test test/contract/examples.test.ts records them');
});

/** A fresh service refuses these, as documented. */
const UNRECORDED = [
  'POST /auth/verify-email',
  'GET /preview/{sessionId}',
  'GET /fantasy/races/{raceId}/scores',
  'POST /console/billing/checkout',
  'POST /console/billing/portal',
];

test('the notes are about operations and parameters that exist', () => {
  const names = new Set(operations.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(OPERATION_NOTES).filter((name) => !names.has(name)),
    [],
  );
  const parameters = new Set(
    operations.flatMap(({ operation }) => (operation.parameters ?? []).map(({ name }) => name)),
  );
  assert.deepEqual(
    Object.keys(PARAMETER_DESCRIPTIONS).filter((name) => !parameters.has(name)),
    [],
  );
});
