// car.position: where the cars are on the circuit. Measured about four times a second; one sample of each second is told, so
// that a subscriber can bear it. An entry is the driver's whole sample, and comes only when it differs from the one told
// before.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CarPositionDriver = DriverEntry({
  status: Nullable(Type.String({ description: 'on_track or off_track.' })),
  x: Nullable(
    Type.Integer({ description: "Tenths of a metre in the circuit's own coordinates; all 0 when not known." }),
  ),
  y: Nullable(Type.Integer({ description: 'Like `x`.' })),
  z: Nullable(Type.Integer({ description: 'Height, like `x`.' })),
});

export type CarPositionDriver = Type.Static<typeof CarPositionDriver>;

export const CarPositionPayload = Payload(
  'car.position',
  'Where the cars are: at most one sample a second, and in it the cars that moved.',
  {
    sampleUtc: Type.String({ description: 'When it was measured: ISO 8601 in UTC, with milliseconds.' }),
    drivers: Type.Array(CarPositionDriver),
  },
);
