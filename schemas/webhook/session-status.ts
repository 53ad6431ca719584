// session.status: whether the session runs.

import Type from 'typebox';
import { Payload } from './envelope.ts';

export const SessionStatusData = Type.Object(
  {
    status: Type.String({
      description: 'inactive, started, aborted, finished, finalised or ends. Qualifying is finished after each part.',
    }),
    partStatus: Type.Optional(
      Type.String({ description: 'inactive, started or finished: the current part of the session. Since 2025.' }),
    ),
  },
  { additionalProperties: false },
);

export type SessionStatusData = Type.Static<typeof SessionStatusData>;

export const SessionStatusPayload = Payload('session.status', 'Whether the session runs.', { data: SessionStatusData });
