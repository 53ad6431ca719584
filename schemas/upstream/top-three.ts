// TopThree: the first three lines of the timing screen and their drivers.

import Type from 'typebox';
import { Numbered, Part } from './collection.ts';

export const TopThreeMessage = Part({
  SessionPart: Type.Integer(),
  Withheld: Type.Boolean(),
  Lines: Numbered(
    Part({
      Position: Type.String(),
      ShowPosition: Type.Boolean(),
      RacingNumber: Type.String(),
      Tla: Type.String(),
      BroadcastName: Type.String(),
      FullName: Type.String(),
      FirstName: Type.String(),
      LastName: Type.String(),
      NameFormat: Type.String(),
      Reference: Type.String(),
      Team: Type.String(),
      TeamColour: Type.String(),
      LapTime: Type.String(),
      LapState: Type.Integer({ description: 'Bits.' }),
      DiffToAhead: Type.String({ description: '"+1.234", "LAP 27", or empty.' }),
      DiffToLeader: Type.String(),
      OverallFastest: Type.Boolean(),
      PersonalFastest: Type.Boolean(),
    }),
  ),
});
