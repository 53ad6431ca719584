// lap.count: how far the race is.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const LapCountData = Type.Object(
  {
    currentLap: Nullable(Type.Integer({ description: 'Lap that the leader is on, from 1.' })),
    totalLaps: Nullable(Type.Integer({ description: 'Laps of the race; can change when a race is shortened.' })),
  },
  { additionalProperties: false },
);

export type LapCountData = Type.Static<typeof LapCountData>;

export const LapCountPayload = Payload('lap.count', 'How far the race is.', { data: LapCountData });
