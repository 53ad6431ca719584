// A field that is always present and may be null.

import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** Accepts schemas with a single `type`. In an `enum`, null becomes one more value. */
export function nullable<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  const values = 'enum' in schema ? { enum: [...(schema.enum as readonly unknown[]), null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], ...values });
}
