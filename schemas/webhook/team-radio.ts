// team.radio: recordings of the radio between drivers and their teams.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const Capture = Type.Object(
  {
    index: Type.Integer({
      description: 'Number of the recording in the session, from 0. A correction repeats the number.',
    }),
    utc: Nullable(Type.String({ description: 'When it was published: ISO 8601 in UTC.' })),
    path: Type.String({
      description: 'Audio file, relative to `archivePath` of session.info: "TeamRadio/MAXVER01_1_20251025_155900.mp3".',
    }),
  },
  { additionalProperties: false },
);

export const TeamRadioDriver = DriverEntry({
  captures: Type.Array(Capture, { description: 'New and corrected recordings.' }),
});

export type RadioCapture = Type.Static<typeof Capture>;
export type TeamRadioDriver = Type.Static<typeof TeamRadioDriver>;

export const TeamRadioPayload = Payload('team.radio', 'Recordings of the radio between drivers and teams.', {
  drivers: Type.Array(TeamRadioDriver),
});
