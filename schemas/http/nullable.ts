// A field that is always there and may be null.

import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** For schemas with a single `type`. */
export function nullable<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}
