// session.info: which session this is, where and when. Sent in full whenever a value changes.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

export const SessionInfoData = Type.Object(
  {
    sessionKey: Nullable(Type.Integer({ description: 'Number of the session at the timing source.' })),
    type: Nullable(Type.String({ description: 'Practice, Qualifying or Race; a sprint is a Race.' })),
    name: Nullable(Type.String({ description: 'Name of the session: "Sprint", "Practice 1".' })),
    meetingKey: Nullable(Type.Integer({ description: 'Number of the race weekend at the timing source.' })),
    meetingName: Nullable(Type.String()),
    officialName: Nullable(Type.String()),
    round: Nullable(Type.Integer({ description: 'Number of the race weekend in its season.' })),
    location: Nullable(Type.String({ description: 'Town or place of the circuit.' })),
    countryCode: Nullable(Type.String({ description: 'Three letters.' })),
    countryName: Nullable(Type.String()),
    circuitKey: Nullable(Type.Integer({ description: 'Number of the circuit at the timing source.' })),
    circuitName: Nullable(Type.String()),
    startUtc: Nullable(Type.String({ description: 'Scheduled start: ISO 8601 in UTC.' })),
    endUtc: Nullable(Type.String({ description: 'Scheduled end: ISO 8601 in UTC.' })),
    gmtOffset: Nullable(Type.String({ description: 'Local time minus UTC: "-06:00:00".' })),
    archivePath: Nullable(
      Type.String({ description: "The session's folder in the timing source's archive, with a trailing slash." }),
    ),
  },
  { additionalProperties: false },
);

export type SessionInfoData = Type.Static<typeof SessionInfoData>;

export const SessionInfoPayload = Payload('session.info', 'Which session this is, where and when.', {
  data: SessionInfoData,
});
