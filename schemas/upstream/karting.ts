// Karting: the messages of an organiser's timing system.

import Type from 'typebox';
import { ByRacingNumber, Part } from './collection.ts';

export const KARTING_MESSAGES: Readonly<Record<string, Type.TSchema>> = {
  Meeting: Part({
    name: Type.String(),
    venue: Type.String(),
    start: Type.String({ description: 'ISO 8601 with Z or an offset.' }),
  }),
  Heat: Part({
    name: Type.String(),
    status: Type.String({ description: 'waiting, running, stopped, finished.' }),
    lap: Type.Integer({ description: "The leader's current lap." }),
    laps: Type.Integer({ description: 'Number of laps in the heat.' }),
  }),
  Karts: ByRacingNumber(
    Part({ name: Type.String(), code: Type.String(), team: Type.String(), chassis: Type.String() }),
  ),
  Laps: ByRacingNumber(
    Part({
      position: Type.Integer(),
      laps: Type.Integer(),
      last: Type.String({ description: '"48.213".' }),
      best: Type.String(),
      gap: Type.String({ description: '"+1.234", "1L".' }),
    }),
  ),
};
