// car.telemetry: readings of the cars' own sensors. The source measures about four times a second; we publish one
// sample per second to keep the load on subscribers low. An entry is a driver's complete sample, sent only if it
// differs from the last one.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CarTelemetryDriver = DriverEntry({
  rpm: Nullable(Type.Integer({ description: 'Engine speed, revolutions per minute.' })),
  speedKph: Nullable(Type.Integer({ description: 'Kilometres per hour.' })),
  gear: Nullable(Type.Integer({ description: '0 is neutral.' })),
  throttlePercent: Nullable(Type.Integer({ description: '0 to 100; null if there is no valid value.' })),
  brakePercent: Nullable(Type.Integer({ description: '0 or 100; null if there is no valid value.' })),
  drs: Nullable(
    Type.Integer({
      description: "The timing source's code: 0 or 1 closed; 8 eligible; 10, 12 or 14 open; others unknown.",
    }),
  ),
  drsOpen: Nullable(
    Type.Boolean({ description: 'Whether the rear wing is open; null if the code in `drs` is unknown.' }),
  ),
});

export type CarTelemetryDriver = Type.Static<typeof CarTelemetryDriver>;

export const CarTelemetryPayload = Payload(
  'car.telemetry',
  'Speed, engine and pedals of the cars: at most one sample per second, with only the cars whose values changed.',
  {
    sampleUtc: Type.String({ description: 'Time of the measurement: ISO 8601 in UTC, with milliseconds.' }),
    drivers: Type.Array(CarTelemetryDriver),
  },
);
