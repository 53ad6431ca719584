// A field that is always there and may be null.

import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** For schemas with a single `type`; of a choice, null is one more. */
export function nullable<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  const values = 'enum' in schema ? { enum: [...(schema.enum as readonly unknown[]), null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], ...values });
}
