// TimingData: the timing screen, a line for each driver.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

const Measured = {
  Value: Type.String({ description: 'Empty when cleared.' }),
  Status: Type.Integer(),
  OverallFastest: Type.Boolean(),
  PersonalFastest: Type.Boolean(),
};

const BestLap = Part({ Value: Type.String(), Lap: Type.Integer() });

const Sector = Part({
  ...Measured,
  Stopped: Type.Boolean(),
  PreviousValue: Type.String(),
  Segments: Numbered(Part({ Status: Type.Integer() })),
});

const Line = Part({
  Line: Type.Integer(),
  Position: Type.String(),
  ShowPosition: Type.Boolean(),
  RacingNumber: Type.String(),
  Retired: Type.Boolean(),
  InPit: Type.Boolean(),
  PitOut: Type.Boolean(),
  Stopped: Type.Boolean(),
  KnockedOut: Type.Boolean(),
  Cutoff: Type.Boolean(),
  Status: Type.Integer({ description: 'Bits.' }),
  NumberOfLaps: Type.Integer(),
  NumberOfPitStops: Type.Integer(),
  GapToLeader: Type.String({ description: '"+1.234", "+1:09.473", "1L", "1 L", "LAP 27".' }),
  IntervalToPositionAhead: Part({ Value: Type.String(), Catching: Type.Boolean() }),
  TimeDiffToFastest: Type.String(),
  TimeDiffToPositionAhead: Type.String(),
  Sectors: Numbered(Sector),
  Speeds: Part({ I1: Part(Measured), I2: Part(Measured), FL: Part(Measured), ST: Part(Measured) }),
  LastLapTime: Part(Measured),
  BestLapTime: BestLap,
  BestLapTimes: Numbered(BestLap),
  Stats: Numbered(Part({ TimeDiffToFastest: Type.String(), TimeDifftoPositionAhead: Type.String() })),
});

export const TimingDataMessage = Part({
  Lines: ByRacingNumber(Line),
  Withheld: Type.Boolean(),
  SessionPart: Type.Integer(),
  NoEntries: Numbered(Type.Integer()),
  CutOffTime: Type.String(),
  CutOffPercentage: Type.String(),
});
