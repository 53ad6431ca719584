// DriverList: the drivers by racing number. Most messages carry only the line on the timing screen.

import Type from 'typebox';
import { ByRacingNumber, Part } from './collection.ts';

export const DriverListMessage = ByRacingNumber(
  Part({
    RacingNumber: Type.String(),
    BroadcastName: Type.String(),
    FullName: Type.String(),
    FirstName: Type.String(),
    LastName: Type.String(),
    NameFormat: Type.String(),
    Tla: Type.String(),
    Line: Type.Integer(),
    TeamName: Type.String(),
    TeamColour: Type.String(),
    CountryCode: Type.String(),
    Reference: Type.String(),
    HeadshotUrl: Type.String(),
    PublicIdRight: Type.String(),
  }),
);
