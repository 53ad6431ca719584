// session.status: whether the session is running.

import Type from 'typebox';
import { Payload } from './envelope.ts';

export const SessionStatusData = Type.Object(
  {
    status: Type.String({
      description:
        'inactive, started, aborted, finished, finalised or ends. In qualifying, finished follows each part.',
    }),
    partStatus: Type.Optional(
      Type.String({
        description: 'Status of the current part of the session: inactive, started or finished. Since 2025.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type SessionStatusData = Type.Static<typeof SessionStatusData>;

export const SessionStatusPayload = Payload('session.status', 'Whether the session is running.', {
  data: SessionStatusData,
});
