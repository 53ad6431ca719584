// The identity of a driver. Every entry of every per-driver payload has it in full, so a receiver needs no join.

import Type from 'typebox';
import { Nullable } from './nullable.ts';

export const DRIVER_PROPERTIES = {
  driverId: Nullable(
    Type.String({ description: 'Slug of the name: "max-verstappen". Null until drivers are listed.' }),
  ),
  number: Type.String({ description: 'Racing number.' }),
  tla: Nullable(Type.String({ description: 'Three-letter code: "VER".' })),
  name: Nullable(Type.String({ description: 'First and last name.' })),
  team: Nullable(Type.String({ description: 'Team name in this session.' })),
  constructorId: Nullable(Type.String({ description: 'Slug of the team name: "red-bull-racing".' })),
  position: Nullable(Type.Integer({ description: 'Current position, from 1.' })),
};

/** The identity alone, without any changed value. */
export const Driver = Type.Object(DRIVER_PROPERTIES, { additionalProperties: false });

export type Driver = Type.Static<typeof Driver>;

/**
 * Returns the schema of an entry of `drivers`: the identity, and the given properties, of which an entry has those that
 * changed.
 */
export function DriverEntry<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object({ ...DRIVER_PROPERTIES, ...properties }, { additionalProperties: false });
}
