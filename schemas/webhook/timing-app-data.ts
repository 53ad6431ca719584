// timing.app-data: grid positions and the latest lap of each stint. tire.stints has the tires themselves.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

const StintLap = Type.Object(
  {
    stint: Type.Integer({ description: 'From 1.' }),
    time: Type.Optional(Nullable(LapTime)),
    lap: Type.Optional(Nullable(Type.Integer({ description: "The driver's lap." }))),
    lapFlags: Type.Optional(Nullable(Type.Integer({ description: "The timing source's flag bits, unchanged." }))),
  },
  { additionalProperties: false },
);

export const TimingAppDriver = DriverEntry({
  gridPosition: Type.Optional(Nullable(Type.Integer({ description: 'Grid position, from 1.' }))),
  stintLaps: Type.Optional(Type.Array(StintLap, { description: 'Changes, by stint.' })),
});

export type StintLap = Type.Static<typeof StintLap>;
export type TimingAppDriver = Type.Static<typeof TimingAppDriver>;

export const TimingAppDataPayload = Payload('timing.app-data', 'Grid positions and the latest lap of each stint.', {
  drivers: Type.Array(TimingAppDriver),
});
