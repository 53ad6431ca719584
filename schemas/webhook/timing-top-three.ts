// timing.top-three: the first three lines of the timing screen. An entry carries what changed on the driver's line; when a
// line goes to another driver, all of it.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap, LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const TopThreeDriver = DriverEntry({
  line: Type.Integer({
    description: 'Line on which the driver is shown, 1 to 3; may be a moment ahead of `position` or behind it.',
  }),
  showPosition: Type.Optional(Nullable(Type.Boolean())),
  lapTime: Type.Optional(Nullable(LapTime)),
  lapFlags: Type.Optional(Nullable(Type.Integer({ description: 'Bits of the timing source, passed on.' }))),
  gapToAhead: Type.Optional(Nullable(Gap)),
  gapToLeader: Type.Optional(Nullable(Gap)),
  overallFastest: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the lap is the fastest of all.' }))),
  personalFastest: Type.Optional(Nullable(Type.Boolean({ description: "Whether the lap is the driver's fastest." }))),
});

export const TopThreeSession = Type.Object(
  {
    part: Type.Optional(Type.Integer({ description: 'Part of qualifying under way, from 1.' })),
    withheld: Type.Optional(Type.Boolean({ description: 'Whether the times are not shown.' })),
  },
  { additionalProperties: false, description: 'What changed for the session as a whole.' },
);

export type TopThreeDriver = Type.Static<typeof TopThreeDriver>;
export type TopThreeSession = Type.Static<typeof TopThreeSession>;

export const TopThreePayload = Payload('timing.top-three', 'The first three lines of the timing screen.', {
  session: Type.Optional(TopThreeSession),
  drivers: Type.Array(TopThreeDriver),
});
