// TyreStintSeries, CurrentTyres: the tires used in the session, and the current ones.

import Type from 'typebox';
import { ByRacingNumber, Numbered, Part } from './collection.ts';

const Stint = Part({
  Compound: Type.String(),
  New: Type.String({ description: '"true" or "false".' }),
  TyresNotChanged: Type.String({ description: '"0" or "1".' }),
  TotalLaps: Type.Integer(),
  StartLaps: Type.Integer(),
});

export const TyreStintSeriesMessage = Part({ Stints: ByRacingNumber(Numbered(Stint)) });

export const CurrentTyresMessage = Part({
  Tyres: ByRacingNumber(Part({ Compound: Type.String(), New: Type.Boolean() })),
});
