// timing.top-three: the first three lines of the timing screen. An entry carries the changes on the driver's line, or
// the whole line when another driver takes it.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap, LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

export const TopThreeDriver = DriverEntry({
  line: Type.Integer({
    description: "The driver's line, 1 to 3. It may briefly differ from `position`.",
  }),
  showPosition: Type.Optional(Nullable(Type.Boolean())),
  lapTime: Type.Optional(Nullable(LapTime)),
  lapFlags: Type.Optional(Nullable(Type.Integer({ description: "The timing source's flag bits, unchanged." }))),
  gapToAhead: Type.Optional(Nullable(Gap)),
  gapToLeader: Type.Optional(Nullable(Gap)),
  overallFastest: Type.Optional(
    Nullable(Type.Boolean({ description: 'Whether the lap is the fastest of all drivers.' })),
  ),
  personalFastest: Type.Optional(Nullable(Type.Boolean({ description: "Whether the lap is the driver's own best." }))),
});

export const TopThreeSession = Type.Object(
  {
    part: Type.Optional(Type.Integer({ description: 'Current part of qualifying, from 1.' })),
    withheld: Type.Optional(Type.Boolean({ description: 'Whether the times are hidden.' })),
  },
  { additionalProperties: false, description: 'Changes that concern the whole session.' },
);

export type TopThreeDriver = Type.Static<typeof TopThreeDriver>;
export type TopThreeSession = Type.Static<typeof TopThreeSession>;

export const TopThreePayload = Payload('timing.top-three', 'The first three lines of the timing screen.', {
  session: Type.Optional(TopThreeSession),
  drivers: Type.Array(TopThreeDriver),
});
