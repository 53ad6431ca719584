// PitLaneTimeCollection, PitStopSeries: times in the pit lane and at the box. Entries of the first are added, and removed again
// a minute later.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

export const PitLaneTimeCollectionMessage = Part({
  PitTimes: ByRacingNumber(
    Part({
      RacingNumber: Type.String(),
      Duration: Type.String({ description: 'Seconds: "23.4"; "4763.9" when the race was stopped meanwhile.' }),
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
          PitStopTime: Type.String({ description: 'Seconds that the car stood.' }),
          PitLaneTime: Type.String(),
          Lap: Type.String(),
        }),
      }),
    ),
  ),
});
