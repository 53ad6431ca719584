// pit-lane.times: how long a car was in the pit lane, published when it leaves.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const PitLaneTimeDriver = DriverEntry({
  pitLaneTime: Nullable(LapTime),
  lap: Nullable(Type.Integer({ description: "The driver's lap when the car came in." })),
  interrupted: Type.Boolean({
    description:
      'True if it was longer than five minutes, for example during a red flag. Do not compare it with pit stops.',
  }),
});

export type PitLaneTimeDriver = Type.Static<typeof PitLaneTimeDriver>;

export const PitLaneTimesPayload = Payload('pit-lane.times', 'How long a car was in the pit lane.', {
  drivers: Type.Array(PitLaneTimeDriver),
});
