// Shapes shared by the upstream's topics. All fields are optional, because a message may carry any part of the state.

import Type from 'typebox';

/** A collection with numeric keys. The first message may send it as a list. */
export function Numbered<Schema extends Type.TSchema>(item: Schema) {
  return Type.Union([Type.Record(Type.String({ pattern: '^\\d+$' }), item), Type.Array(item)]);
}

/** An object of which a message may carry any part, and the markers of the merge rules. */
export function Part<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Partial(Type.Object({ ...properties, _kf: Type.Boolean(), _deleted: Type.Array(Type.String()) }), {
    additionalProperties: false,
  });
}

/** A collection by racing number, never sent as a list. The markers of the merge rules may appear among the numbers. */
export function ByRacingNumber<Schema extends Type.TSchema>(item: Schema) {
  return Type.Record(
    Type.String({ pattern: '^(\\d{1,3}|_kf|_deleted)$' }),
    Type.Union([item, Type.Boolean(), Type.Array(Type.String())]),
  );
}
