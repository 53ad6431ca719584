// TimingAppData: grid positions and stints, a line for each driver.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

const Stint = Part({
  Compound: Type.String(),
  New: Type.String({ description: '"true" or "false".' }),
  TyresNotChanged: Type.String({ description: '"0" or "1".' }),
  TotalLaps: Type.Integer(),
  StartLaps: Type.Integer(),
  LapFlags: Type.Integer({ description: 'Bits.' }),
  LapNumber: Type.Integer(),
  LapTime: Type.String(),
});

export const TimingAppDataMessage = Part({
  Lines: ByRacingNumber(
    Part({ RacingNumber: Type.String(), Line: Type.Integer(), GridPos: Type.String(), Stints: Numbered(Stint) }),
  ),
});
