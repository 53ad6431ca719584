// car.telemetry: what the cars' own sensors say. The timing source measures about four times a second; one sample of each
// second is told, so that a subscriber can bear it. An entry is the driver's whole sample, and comes only when it differs
// from the one told before.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const CarTelemetryDriver = DriverEntry({
  rpm: Nullable(Type.Integer({ description: 'Engine speed, revolutions per minute.' })),
  speedKph: Nullable(Type.Integer({ description: 'Kilometres per hour.' })),
  gear: Nullable(Type.Integer({ description: '0 is neutral.' })),
  throttlePercent: Nullable(Type.Integer({ description: '0 to 100; null when there is no valid value.' })),
  brakePercent: Nullable(Type.Integer({ description: '0 or 100; null when there is no valid value.' })),
  drs: Nullable(
    Type.Integer({
      description: 'Code of the timing source: 0, 1 closed; 8 eligible; 10, 12, 14 open; others unknown.',
    }),
  ),
  drsOpen: Nullable(Type.Boolean({ description: 'Whether the rear wing is open; null when `drs` does not tell.' })),
});

export type CarTelemetryDriver = Type.Static<typeof CarTelemetryDriver>;

export const CarTelemetryPayload = Payload(
  'car.telemetry',
  'Speed, engine and pedals of the cars: at most one sample a second, and in it the cars whose values changed.',
  {
    sampleUtc: Type.String({ description: 'When it was measured: ISO 8601 in UTC, with milliseconds.' }),
    drivers: Type.Array(CarTelemetryDriver),
  },
);
