// session.clock: how much time the session has left. Published when the clock starts, stops or is set, not every
// second. While the clock runs, the time left is `remaining` minus the time since `utc`.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const Remaining = Type.Object(
  {
    display: Type.String({ description: 'Hours, minutes, seconds: "01:17:59".' }),
    ms: Nullable(Type.Integer({ description: 'Milliseconds; null if `display` is not a time.' })),
  },
  { additionalProperties: false, description: 'Time left at `utc`.' },
);

export const SessionClockData = Type.Object(
  {
    utc: Nullable(Type.String({ description: 'The time for which `remaining` holds: ISO 8601 in UTC.' })),
    remaining: Nullable(Remaining),
    running: Nullable(Type.Boolean({ description: 'Whether the clock runs.' })),
  },
  { additionalProperties: false },
);

export type SessionClockData = Type.Static<typeof SessionClockData>;

export const SessionClockPayload = Payload('session.clock', 'How much time the session has left.', {
  data: SessionClockData,
});
