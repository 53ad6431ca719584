// Who a driver is, in full in every entry of every per-driver payload, so that a receiver needs no join.

import Type from 'typebox';
import { Nullable } from './nullable.ts';

export const DRIVER_PROPERTIES = {
  driverId: Nullable(
    Type.String({ description: 'Slug of the name: "max-verstappen". Null until drivers are listed.' }),
  ),
  number: Type.String({ description: 'Racing number.' }),
  tla: Nullable(Type.String({ description: 'Three-letter code: "VER".' })),
  name: Nullable(Type.String({ description: 'First and last name.' })),
  team: Nullable(Type.String({ description: 'Team name of this session.' })),
  constructorId: Nullable(Type.String({ description: 'Slug of the team name: "red-bull-racing".' })),
  position: Nullable(Type.Integer({ description: 'Position now, from 1.' })),
};

/** A driver without anything that changed. */
export const Driver = Type.Object(DRIVER_PROPERTIES, { additionalProperties: false });

export type Driver = Type.Static<typeof Driver>;

/** An entry of `drivers`: the driver, and those of the given properties that changed. */
export function DriverEntry<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object({ ...DRIVER_PROPERTIES, ...properties }, { additionalProperties: false });
}
