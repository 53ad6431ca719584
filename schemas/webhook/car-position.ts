// car.position: where the cars are on the circuit. The source measures about four times a second; we publish one sample
// per second to keep the load on subscribers low. An entry is a driver's complete sample, sent only if it differs from
// the last one.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CarPositionDriver = DriverEntry({
  status: Nullable(Type.String({ description: 'on_track or off_track.' })),
  x: Nullable(
    Type.Integer({
      description: "Tenths of a metre in the circuit's own coordinates; x, y and z are all 0 if unknown.",
    }),
  ),
  y: Nullable(Type.Integer({ description: 'Like `x`.' })),
  z: Nullable(Type.Integer({ description: 'Height, like `x`.' })),
});

export type CarPositionDriver = Type.Static<typeof CarPositionDriver>;

export const CarPositionPayload = Payload(
  'car.position',
  'Where the cars are: at most one sample per second, with only the cars that moved.',
  {
    sampleUtc: Type.String({ description: 'Time of the measurement: ISO 8601 in UTC, with milliseconds.' }),
    drivers: Type.Array(CarPositionDriver),
  },
);
