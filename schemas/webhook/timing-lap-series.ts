// timing.lap-series: each driver's position at the end of each lap.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const LapPosition = Type.Object(
  {
    lapsCompleted: Type.Integer({ description: 'Laps completed by the driver; 0 is the start.' }),
    position: Nullable(Type.Integer({ description: 'Position at that moment, from 1.' })),
  },
  { additionalProperties: false },
);

export const LapSeriesDriver = DriverEntry({
  lapPositions: Type.Array(LapPosition, { description: 'New and corrected positions.' }),
});

export type LapPosition = Type.Static<typeof LapPosition>;
export type LapSeriesDriver = Type.Static<typeof LapSeriesDriver>;

export const LapSeriesPayload = Payload('timing.lap-series', 'Positions at the end of each lap.', {
  drivers: Type.Array(LapSeriesDriver),
});
