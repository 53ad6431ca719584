// Writes JSON schemas of the OpenAPI document as TypeScript types, with descriptions as comments.

import { assert } from '#engine/base/assert.ts';

export type Schema = Readonly<Record<string, unknown>>;

const REFERENCE = '#/components/schemas/';
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The name that a `$ref` of the document has. */
export function referredName(reference: string): string {
  assert(reference.startsWith(REFERENCE), `${reference} is a schema of the document`);
  return reference.slice(REFERENCE.length);
}

/** A schema of the components as a declaration: an interface for one object, a type for anything else. */
export function declarationText(name: string, schema: Schema): string {
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  const head = isObject ? `export interface ${name} ` : `export type ${name} = `;
  return `${commentText(schema.description)}${head}${typeText(schema)}${isObject ? '' : ';'}\n`;
}

export function typeText(schema: Schema): string {
  if (typeof schema.$ref === 'string') return referredName(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionText(schema.enum.map((value) => JSON.stringify(value)));
  const members = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (members !== undefined) return unionText(members.map(typeText));
  const types = [schema.type].flat() as readonly string[];
  return unionText(types.map((type) => textOfType(type, schema)));
}

/** Fields by name; all of them may be left out that `required` does not name. */
export function fieldsText(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      const mark = required.includes(name) ? '' : '?';
      return `${commentText(schema.description)}${key}${mark}: ${typeText(schema)};\n`;
    })
    .join('');
}

export function commentText(text: unknown): string {
  if (typeof text !== 'string') return '';
  assert(!text.includes('*/'), 'a description fits into a comment');
  return `/** ${text} */\n`;
}

function textOfType(type: string, schema: Schema): string {
  if (type === 'array') return `readonly (${typeText(schema.items as Schema)})[]`;
  if (type === 'object') return objectText(schema);
  const text = PLAIN[type];
  assert(text !== undefined, `a type is written for ${JSON.stringify(schema)}`);
  return text;
}

function objectText(schema: Schema): string {
  const { properties, required, additionalProperties, patternProperties } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: Schema | boolean;
    readonly patternProperties?: Readonly<Record<string, Schema>>;
  };
  if (properties !== undefined && Object.keys(properties).length === 0) return 'Record<string, never>';
  if (properties !== undefined) return `{\n${fieldsText(properties, required ?? [])}}`;
  const [pattern] = Object.values(patternProperties ?? {});
  const values = pattern ?? additionalProperties;
  assert(typeof values === 'object', `an object says what it holds: ${JSON.stringify(schema)}`);
  return `Record<string, ${typeText(values)}>`;
}

function unionText(members: readonly string[]): string {
  return [...new Set(members)].join(' | ');
}
