// pit-lane.times: how long a car was in the pit lane, told when it leaves.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const PitLaneTimeDriver = DriverEntry({
  pitLaneTime: Nullable(LapTime),
  lap: Nullable(Type.Integer({ description: 'Lap of the driver on which the car came in.' })),
  interrupted: Type.Boolean({
    description:
      'Whether it was longer than five minutes, as when a race is stopped: not to be compared with pit stops.',
  }),
});

export type PitLaneTimeDriver = Type.Static<typeof PitLaneTimeDriver>;

export const PitLaneTimesPayload = Payload('pit-lane.times', 'How long a car was in the pit lane.', {
  drivers: Type.Array(PitLaneTimeDriver),
});
