// What programs that make clients from the OpenAPI document need, and JSON Schema does not ask for: a part that they cannot
// name or type becomes `unknown`, `never` or a file over another one.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withApi } from '#test/support/api-harness.ts';

type JsonObject = Readonly<Record<string, unknown>>;

type Found = readonly [schema: JsonObject, place: string];

/** Words that no language lets stand for a function. */
const RESERVED = new Set(['delete', 'default', 'export', 'import', 'new', 'class', 'function', 'return', 'with', 'in']);

const api = await withApi({ after });
const { body: document } = await api.call('GET', '/v1/openapi.json');

test('every schema of the document has a type that generated clients can write down', () => {
  const found = [
    ...Object.entries(document.components.schemas as Readonly<Record<string, JsonObject>>).flatMap(([name, schema]) =>
      schemasIn(schema, name),
    ),
    ...['paths', 'webhooks', 'components'].flatMap((part) => schemasOf(document[part], part)),
  ];
  assert.ok(found.length > 1_000);
  const problems = found.flatMap(([schema, place]) => problemsOf(schema).map((problem) => `${place}: ${problem}`));
  assert.deepEqual(problems, []);
});

test('a schema that generated clients cannot write down is found', () => {
  const wrong: readonly (readonly [schema: JsonObject, problem: RegExp])[] = [
    [{}, /no type/],
    [{ type: 'object', description: 'anything' }, /no fields/],
    [{ type: ['object', 'null'] }, /no fields/],
    [{ type: 'object', additionalProperties: {} }, /no type/],
    [{ type: 'array' }, /no items/],
    [{ enum: ['a'] }, /no type/],
    [{ type: 'string', nullable: true }, /nullable/],
    [{ type: 'string', enum: ['a', null] }, /null/],
    [{ type: ['string', 'null'], enum: ['a'] }, /null/],
    [{ anyOf: [{ type: 'object', properties: {} }, { type: 'string' }] }, /union/],
    [{ $ref: '#/components/schemas/NoSuchThing' }, /leads nowhere/],
  ];
  for (const [schema, problem] of wrong) {
    const found = schemasIn(schema, '').flatMap(([one]) => problemsOf(one));
    assert.match(found.join(), problem, JSON.stringify(schema));
  }
});

test('every answer has a body with a schema, or is one that has none', () => {
  for (const { name, operation } of operations()) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const types = Object.entries(answer.content ?? {});
      assert.equal(types.length === 0, status === '204', `${name} ${status}`);
      for (const [type, { schema }] of types) assert.ok(schema, `${name} ${status} ${type}`);
    }
  }
});

test('the names of operations and schemas are identifiers, and no two differ in case alone', () => {
  const names = [
    ...operations().map(({ operation }) => operation.operationId),
    ...Object.keys(document.components.schemas),
  ];
  for (const name of names) {
    assert.match(name, /^[A-Za-z][A-Za-z0-9]*$/);
    assert.ok(!RESERVED.has(name), name);
  }
  // Some generators write a file for each, and some file systems ignore case.
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
});

function problemsOf(schema: JsonObject): string[] {
  if (typeof schema.$ref === 'string') return resolves(schema.$ref) ? [] : [`${schema.$ref} leads nowhere`];
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) {
    const named = schema.discriminator !== undefined || schema.title !== undefined;
    return named || union.every(isPlain) ? [] : ['a union of objects without a discriminator or a name'];
  }
  if (Array.isArray(schema.allOf)) return [];
  const types = ([schema.type] as unknown[]).flat();
  if (types[0] === undefined) return ['no type'];
  const problems: string[] = [];
  const hasFields = ['properties', 'additionalProperties', 'patternProperties'].some((key) => key in schema);
  if (types.includes('object') && !hasFields) problems.push('an object with no fields');
  if (types.includes('array') && !('items' in schema)) problems.push('an array with no items');
  if ('nullable' in schema) problems.push('nullable, which OpenAPI 3.1 does not know: write a list of types');
  if (Array.isArray(schema.enum) && schema.enum.includes(null) !== types.includes('null')) {
    problems.push('null is in the type or in the values only');
  }
  return problems;
}

function isPlain(schema: JsonObject): boolean {
  return typeof schema.type === 'string' && schema.type !== 'object' && schema.type !== 'array';
}

function resolves(reference: string): boolean {
  const keys = reference.replace('#/', '').split('/');
  return keys.reduce((part, key) => part?.[key], document) !== undefined;
}

/** Returns the schemas of parameters, headers and bodies, and those in them. */
function schemasOf(part: unknown, place: string): Found[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => {
    if (name === 'schemas') return [];
    const within = `${place}/${name}`;
    return name === 'schema' ? schemasIn(value, within) : schemasOf(value, within);
  });
}

/** Returns the schema and those in it. */
function schemasIn(schema: JsonObject, place: string): Found[] {
  const parts = [schema.items, schema.additionalProperties, schema.anyOf, schema.oneOf, schema.allOf].flat();
  const named = [...Object.entries(schema.properties ?? {}), ...Object.entries(schema.patternProperties ?? {})];
  return [
    [schema, place],
    ...parts
      .filter((part): part is JsonObject => typeof part === 'object')
      .flatMap((part) => schemasIn(part, `${place}/...`)),
    ...named.flatMap(([name, part]) => schemasIn(part, `${place}/${name}`)),
  ];
}

interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

function operations(): { readonly name: string; readonly operation: OperationObject }[] {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
}
