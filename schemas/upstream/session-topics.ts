// SessionInfo, SessionStatus, TrackStatus, LapCount, WeatherData: small topics about the session as a whole.

import Type from 'typebox';
import { Part } from './collection.ts';

const Named = { Key: Type.Integer(), Name: Type.String() };

export const SessionInfoMessage = Part({
  Meeting: Part({
    ...Named,
    OfficialName: Type.String(),
    Location: Type.String(),
    Number: Type.Integer(),
    Country: Part({ ...Named, Code: Type.String() }),
    Circuit: Part({ Key: Type.Integer(), ShortName: Type.String() }),
  }),
  SessionStatus: Type.String(),
  ArchiveStatus: Part({ Status: Type.String() }),
  ...Named,
  Type: Type.String(),
  Number: Type.Integer(),
  StartDate: Type.String({ description: 'Local time.' }),
  EndDate: Type.String({ description: 'Local time.' }),
  GmtOffset: Type.String({ description: 'Local time minus UTC: "-06:00:00".' }),
  Path: Type.String(),
});

export const SessionStatusMessage = Part({
  Status: Type.String({ description: 'Inactive, Started, Aborted, Finished, Finalised, Ends.' }),
  Started: Type.String({ description: 'Since 2025.' }),
});

export const TrackStatusMessage = Part({
  Status: Type.String({ description: '1 clear, 2 yellow, 4 safety car, 5 red, 6 virtual safety car, 7 its ending.' }),
  Message: Type.String(),
});

export const LapCountMessage = Part({ CurrentLap: Type.Integer(), TotalLaps: Type.Integer() });

export const WeatherDataMessage = Part({
  AirTemp: Type.String(),
  TrackTemp: Type.String(),
  Humidity: Type.String(),
  Pressure: Type.String(),
  Rainfall: Type.String({ description: '"0" or "1".' }),
  WindDirection: Type.String(),
  WindSpeed: Type.String(),
});
