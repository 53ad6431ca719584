// PitLaneTimeCollection, PitStopSeries: times in the pit lane and at the box. The upstream removes each entry of the
// first a minute after adding it.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

export const PitLaneTimeCollectionMessage = Part({
  PitTimes: ByRacingNumber(
    Part({
      RacingNumber: Type.String(),
      Duration: Type.String({ description: 'Seconds: "23.4"; "4763.9" across a race stoppage.' }),
      Lap: Type.String(),
    }),
  ),
});

export const PitStopSeriesMessage = Part({
  PitTimes: ByRacingNumber(
    Numbered(
      Part({
        Timestamp: Type.String(),
        PitStop: Part({
          RacingNumber: Type.String(),
          PitStopTime: Type.String({ description: 'Seconds that the car stood still.' }),
          PitLaneTime: Type.String(),
          Lap: Type.String(),
        }),
      }),
    ),
  ),
});
