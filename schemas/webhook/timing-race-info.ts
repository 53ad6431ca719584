// timing.race-info: gaps, stops and overtaking as the timing source's race overview tells them. An entry carries what changed.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const RaceInfoDriver = DriverEntry({
  racePosition: Type.Optional(
    Nullable(
      Type.Integer({
        description: 'Position in this overview, from 1; may be a moment ahead of `position` or behind it.',
      }),
    ),
  ),
  gapToLeader: Type.Optional(Nullable(Gap)),
  gapToAhead: Type.Optional(Nullable(Gap)),
  pitStops: Type.Optional(Nullable(Type.Integer({ description: 'Pit stops so far.' }))),
  catchingState: Type.Optional(
    Nullable(Type.Integer({ description: 'Code of the timing source for catching the car ahead, passed on.' })),
  ),
  overtakeState: Type.Optional(
    Nullable(Type.Integer({ description: 'Code of the timing source, passed on; 2: the driver is overtaking.' })),
  ),
  isOut: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the driver is out of the race.' }))),
});

export type RaceInfoDriver = Type.Static<typeof RaceInfoDriver>;

export const RaceInfoPayload = Payload('timing.race-info', 'Gaps, pit stops and overtaking in a race.', {
  drivers: Type.Array(RaceInfoDriver),
});
