// timing.driver-info: who drives, and in which order the timing screen lists them.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const DriverInfoDriver = DriverEntry({
  line: Type.Optional(Nullable(Type.Integer({ description: 'Line on the timing screen, from 1.' }))),
  firstName: Type.Optional(Nullable(Type.String())),
  lastName: Type.Optional(Nullable(Type.String())),
  broadcastName: Type.Optional(Nullable(Type.String({ description: 'As shown on television: "M VERSTAPPEN".' }))),
  teamColor: Type.Optional(Nullable(Type.String({ description: 'Hexadecimal RGB: "3671C6".' }))),
  countryCode: Type.Optional(Nullable(Type.String({ description: 'Three letters.' }))),
  headshotUrl: Type.Optional(Nullable(Type.String())),
  reference: Type.Optional(Nullable(Type.String({ description: 'Code of the driver at the timing source.' }))),
});

export type DriverInfoDriver = Type.Static<typeof DriverInfoDriver>;

export const DriverInfoPayload = Payload('timing.driver-info', 'Who drives.', {
  drivers: Type.Array(DriverInfoDriver),
});
