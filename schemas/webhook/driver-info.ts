// timing.driver-info: the drivers of the session, and their order on the timing screen.

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
  reference: Type.Optional(Nullable(Type.String({ description: "The timing source's code for the driver." }))),
});

export type DriverInfoDriver = Type.Static<typeof DriverInfoDriver>;

export const DriverInfoPayload = Payload('timing.driver-info', 'The drivers of the session.', {
  drivers: Type.Array(DriverInfoDriver),
});
