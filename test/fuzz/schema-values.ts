// Values that a JSON schema of our OpenAPI document allows, so that a request passes the checks before it is damaged.

import fc from 'fast-check';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Meaningful texts for properties with this name. */
export type KnownTexts = Readonly<Record<string, readonly string[]>>;

const ITEMS_MAX = 4;

/** `resolve` finds the schema of a `$ref`. `name` is that of the property or parameter. */
export function schemaValue(
  schema: Schema,
  resolve: (ref: string) => Schema,
  known: KnownTexts,
  name = '',
): fc.Arbitrary<unknown> {
  const value = (inner: Schema, innerName = name) => schemaValue(inner, resolve, known, innerName);
  if (schema.$ref !== undefined) return value(resolve(schema.$ref));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map((variant) => value(variant)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
  return fc.oneof(...types.map((type) => ofType(type, schema, value, known[name] ?? [])));
}

function ofType(
  type: string,
  schema: Schema,
  value: (inner: Schema, name?: string) => fc.Arbitrary<unknown>,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const { minimum: min = 0, maximum: max = 1_000, minItems: minLength = 0, maxItems = ITEMS_MAX } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min, max });
    case 'number':
      return fc.double({ min, max, noNaN: true });
    case 'array':
      return fc.array(value(schema.items ?? {}), { minLength, maxLength: Math.min(maxItems, minLength + ITEMS_MAX) });
    case 'object': {
      const entries = Object.entries(schema.properties ?? {});
      const properties = Object.fromEntries(entries.map(([name, inner]) => [name, value(inner, name)]));
      return fc.record(properties, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
    }
    default:
      return textOf(schema, known);
  }
}

function textOf({ minLength = 0, maxLength = 40, pattern }: Schema, known: readonly string[]): fc.Arbitrary<string> {
  const any =
    pattern === undefined
      ? fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) })
      : fc.stringMatching(new RegExp(pattern), { maxLength: 60 });
  return known.length === 0 ? any : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 6 }, any);
}
