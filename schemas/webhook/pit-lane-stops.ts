// pit-lane.stops: how long a car stood at its box. The timing source has measured it since late 2024.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

const Stop = Type.Object(
  {
    stop: Type.Integer({ description: 'Number of the stop in the session, from 1. A correction repeats the number.' }),
    utc: Nullable(Type.String({ description: 'When the stop was measured: ISO 8601 in UTC.' })),
    stationaryTime: Nullable(LapTime),
    pitLaneTime: Nullable(LapTime),
    lap: Nullable(Type.Integer({ description: "The driver's lap." })),
  },
  { additionalProperties: false },
);

export const PitStopDriver = DriverEntry({
  stops: Type.Array(Stop, { description: 'New and corrected stops.' }),
});

export type PitStop = Type.Static<typeof Stop>;
export type PitStopDriver = Type.Static<typeof PitStopDriver>;

export const PitStopsPayload = Payload('pit-lane.stops', 'How long a car stood at its box.', {
  drivers: Type.Array(PitStopDriver),
});
