// race-control.messages: the messages of race control to the teams, one per payload.

import Type from 'typebox';
import { Driver } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const RaceControlMessageData = Type.Object(
  {
    index: Type.Integer({
      description: 'Number of the message in the session, from 0. A correction repeats the number.',
    }),
    utc: Nullable(Type.String({ description: 'When race control sent it: ISO 8601 in UTC, to the second.' })),
    message: Type.String(),
    category: Nullable(Type.String({ description: 'Flag, Drs, SafetyCar, CarEvent or Other.' })),
    lap: Type.Optional(Type.Integer({ description: 'Lap named in the message.' })),
    flag: Type.Optional(
      Type.String({
        description: 'GREEN, CLEAR, YELLOW, DOUBLE YELLOW, RED, BLUE, BLACK AND WHITE or CHEQUERED.',
      }),
    ),
    scope: Type.Optional(Type.String({ description: 'What the flag applies to: Track, Sector or Driver.' })),
    sector: Type.Optional(Type.Integer({ description: 'Marshalling sector.' })),
    status: Type.Optional(
      Type.String({ description: 'DEPLOYED, IN THIS LAP, ENDING, THROUGH THE PIT LANE, ENABLED or DISABLED.' }),
    ),
    mode: Type.Optional(Type.String({ description: 'SAFETY CAR or VIRTUAL SAFETY CAR.' })),
    driver: Type.Optional(Driver),
  },
  { additionalProperties: false },
);

export type RaceControlMessageData = Type.Static<typeof RaceControlMessageData>;

export const RaceControlMessagePayload = Payload('race-control.messages', 'A message from race control.', {
  data: RaceControlMessageData,
});
