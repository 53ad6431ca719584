// LapSeries, DriverRaceInfo, ChampionshipPrediction: overviews of a race.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

export const LapSeriesMessage = ByRacingNumber(
  Part({
    RacingNumber: Type.String(),
    LapPosition: Numbered(Type.String({ description: 'Position after the number of laps that is its key.' })),
  }),
);

export const DriverRaceInfoMessage = ByRacingNumber(
  Part({
    RacingNumber: Type.String(),
    Position: Type.String(),
    Gap: Type.String({ description: '"+1.234", "LAP 27", or empty.' }),
    Interval: Type.String(),
    PitStops: Type.Integer(),
    Catching: Type.Integer(),
    OvertakeState: Type.Integer({ description: '2 while overtaking.' }),
    IsOut: Type.Boolean(),
  }),
);

const Standing = {
  CurrentPosition: Type.Integer(),
  PredictedPosition: Type.Integer(),
  CurrentPoints: Type.Number(),
  PredictedPoints: Type.Number(),
};

export const ChampionshipPredictionMessage = Part({
  Drivers: ByRacingNumber(Part({ RacingNumber: Type.String(), ...Standing })),
  Teams: Type.Record(Type.String(), Part({ TeamName: Type.String(), ...Standing })),
});
