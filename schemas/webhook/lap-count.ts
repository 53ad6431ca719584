// lap.count: the current lap of the race, and how many there are.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const LapCountData = Type.Object(
  {
    currentLap: Nullable(Type.Integer({ description: "The leader's current lap, from 1." })),
    totalLaps: Nullable(Type.Integer({ description: 'Number of laps in the race; changes if the race is shortened.' })),
  },
  { additionalProperties: false },
);

export type LapCountData = Type.Static<typeof LapCountData>;

export const LapCountPayload = Payload('lap.count', 'The current lap of the race.', { data: LapCountData });
