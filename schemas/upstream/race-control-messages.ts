// RaceControlMessages: all messages from race control so far, by number.

import Type from 'typebox';
import { Numbered, Part } from './collection.ts';

export const RaceControlMessagesMessage = Part({
  Messages: Numbered(
    Part({
      Utc: Type.String({ description: 'To the second, without Z.' }),
      Lap: Type.Integer(),
      Category: Type.String(),
      Message: Type.String(),
      Flag: Type.String(),
      Scope: Type.String(),
      Sector: Type.Integer(),
      Status: Type.String(),
      Mode: Type.String(),
      RacingNumber: Type.String(),
    }),
  ),
});
