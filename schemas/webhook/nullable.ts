// A value that may be null, as one JSON type list. A union would make the serialiser and the validator try each branch
// in turn.

import Type from 'typebox';

/** Returns the schema with null as an additional value. The schema must have a `type`. */
export function Nullable<Schema extends Type.TSchema>(schema: Schema) {
  const { type } = schema as { readonly type?: string };
  return Type.Unsafe<Type.Static<Schema> | null>({ ...schema, type: [type, 'null'] });
}
