// timing.app-data: grid positions and the latest lap within a stint. The tires themselves are in tire.stints.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

const StintLap = Type.Object(
  {
    stint: Type.Integer({ description: 'From 1.' }),
    time: Type.Optional(Nullable(LapTime)),
    lap: Type.Optional(Nullable(Type.Integer({ description: 'Lap of the driver.' }))),
    lapFlags: Type.Optional(Nullable(Type.Integer({ description: 'Bits of the timing source, passed on.' }))),
  },
  { additionalProperties: false },
);

export const TimingAppDriver = DriverEntry({
  gridPosition: Type.Optional(Nullable(Type.Integer({ description: 'Starting place, from 1.' }))),
  stintLaps: Type.Optional(Type.Array(StintLap, { description: 'What changed, by stint.' })),
});

export type StintLap = Type.Static<typeof StintLap>;
export type TimingAppDriver = Type.Static<typeof TimingAppDriver>;

export const TimingAppDataPayload = Payload('timing.app-data', 'Grid positions and the latest lap within a stint.', {
  drivers: Type.Array(TimingAppDriver),
});
