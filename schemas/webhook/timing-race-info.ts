// timing.race-info: gaps, stops and overtaking, from the timing source's race overview. An entry carries the changes.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const RaceInfoDriver = DriverEntry({
  racePosition: Type.Optional(
    Nullable(
      Type.Integer({
        description: 'Position in this overview, from 1. It may briefly differ from `position`.',
      }),
    ),
  ),
  gapToLeader: Type.Optional(Nullable(Gap)),
  gapToAhead: Type.Optional(Nullable(Gap)),
  pitStops: Type.Optional(Nullable(Type.Integer({ description: 'Pit stops so far.' }))),
  catchingState: Type.Optional(
    Nullable(Type.Integer({ description: "The timing source's code for catching the car ahead, unchanged." })),
  ),
  overtakeState: Type.Optional(
    Nullable(Type.Integer({ description: "The timing source's code, unchanged. 2: the driver is overtaking." })),
  ),
  isOut: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the driver is out of the race.' }))),
});

export type RaceInfoDriver = Type.Static<typeof RaceInfoDriver>;

export const RaceInfoPayload = Payload('timing.race-info', 'Gaps, pit stops and overtaking in a race.', {
  drivers: Type.Array(RaceInfoDriver),
});
