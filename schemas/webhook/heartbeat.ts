// heartbeat: the timing source sends one about every 15 seconds while it is alive.

import Type from 'typebox';
import { Payload } from './envelope.ts';

export const HeartbeatData = Type.Object(
  { utc: Type.String({ description: "The timing source's clock: ISO 8601 in UTC, with milliseconds." }) },
  { additionalProperties: false },
);

export type HeartbeatData = Type.Static<typeof HeartbeatData>;

export const HeartbeatPayload = Payload('heartbeat', 'A sign of life from the timing source, about every 15 seconds.', {
  data: HeartbeatData,
});
