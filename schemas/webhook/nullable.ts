// A value that may be null, as one JSON type list: unlike a union it is serialised and validated without trial.

import Type from 'typebox';

/** The schema with null as a further value. The schema must have a `type`. */
export function Nullable<Schema extends Type.TSchema>(schema: Schema) {
  const { type } = schema as { readonly type?: string };
  return Type.Unsafe<Type.Static<Schema> | null>({ ...schema, type: [type, 'null'] });
}
