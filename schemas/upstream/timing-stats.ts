// TimingStats: each driver's best values in the session, with their rank.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

const Ranked = { Value: Type.String({ description: 'Empty if there is none.' }), Position: Type.Integer() };

export const TimingStatsMessage = Part({
  Withheld: Type.Boolean(),
  SessionType: Type.String({ description: 'Race, Qualifying, Practice.' }),
  Lines: ByRacingNumber(
    Part({
      Line: Type.Integer(),
      RacingNumber: Type.String(),
      PersonalBestLapTime: Part({ ...Ranked, Lap: Type.Integer() }),
      BestSectors: Numbered(Part(Ranked)),
      BestSpeeds: Part({ I1: Part(Ranked), I2: Part(Ranked), FL: Part(Ranked), ST: Part(Ranked) }),
    }),
  ),
});
