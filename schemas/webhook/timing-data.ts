// timing.data: positions, gaps, laps, sectors, speeds, and whether a car is in the pits. An entry carries the driver's
// changes.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { Gap, LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const OVERALL_FASTEST = Type.Optional(Type.Boolean({ description: 'Whether it is the fastest of all drivers.' }));
const PERSONAL_FASTEST = Type.Optional(Type.Boolean({ description: "Whether it is the driver's own best." }));

const Segment = Type.Object(
  {
    segment: Type.Integer({ description: 'Mini-sector within the sector, from 1.' }),
    status: Type.Integer({
      description:
        '0 not driven yet, 2048 yellow, 2049 green, 2051 purple, 2064 pit lane; other values are undocumented.',
    }),
  },
  CLOSED,
);

const Sector = Type.Object(
  {
    sector: Type.Integer({ description: 'From 1.' }),
    time: Type.Optional(Nullable(LapTime)),
    overallFastest: OVERALL_FASTEST,
    personalFastest: PERSONAL_FASTEST,
    stopped: Type.Optional(Type.Boolean({ description: 'Whether the car stopped in this sector.' })),
    segments: Type.Optional(Type.Array(Segment, { description: 'Mini-sectors that changed.' })),
  },
  CLOSED,
);

const Speed = Type.Object(
  {
    kph: Type.Optional(Nullable(Type.Integer({ description: 'Kilometres per hour.' }))),
    overallFastest: OVERALL_FASTEST,
    personalFastest: PERSONAL_FASTEST,
  },
  CLOSED,
);

const Speeds = Type.Object(
  {
    intermediate1: Type.Optional(Speed),
    intermediate2: Type.Optional(Speed),
    finishLine: Type.Optional(Speed),
    speedTrap: Type.Optional(Speed),
  },
  CLOSED,
);

const LastLap = Type.Object(
  {
    time: Type.Optional(Nullable(LapTime)),
    overallFastest: OVERALL_FASTEST,
    personalFastest: PERSONAL_FASTEST,
  },
  CLOSED,
);

const BEST_LAP_PROPERTIES = {
  time: Type.Optional(Nullable(LapTime)),
  lap: Type.Optional(Nullable(Type.Integer({ description: "The driver's lap on which it was set." }))),
};

const QualifyingPart = Type.Object(
  {
    part: Type.Integer({ description: 'Part of qualifying, from 1.' }),
    bestLap: Type.Optional(Type.Object(BEST_LAP_PROPERTIES, CLOSED)),
    gapToFastest: Type.Optional(Nullable(Gap)),
    gapToAhead: Type.Optional(Nullable(Gap)),
  },
  CLOSED,
);

export const TimingDriver = DriverEntry({
  previousPosition: Type.Optional(
    Type.Integer({ description: 'Position before this update; present only if it changed.' }),
  ),
  gapToLeader: Type.Optional(Nullable(Gap)),
  gapToAhead: Type.Optional(Nullable(Gap)),
  catching: Type.Optional(Type.Boolean({ description: 'Whether the car is catching the one ahead.' })),
  gapToFastest: Type.Optional(Nullable(Gap)),
  lapsCompleted: Type.Optional(Type.Integer({ description: 'Laps completed by the driver.' })),
  pitStops: Type.Optional(Type.Integer({ description: 'Pit stops so far.' })),
  inPit: Type.Optional(Type.Boolean({ description: 'Whether the car is in the pit lane or its garage.' })),
  pitOut: Type.Optional(Type.Boolean({ description: 'Whether the car is on its out lap.' })),
  stopped: Type.Optional(Type.Boolean({ description: 'Whether the car has stopped on track.' })),
  retired: Type.Optional(Type.Boolean()),
  knockedOut: Type.Optional(Type.Boolean({ description: 'Whether the driver has been knocked out of qualifying.' })),
  inDropZone: Type.Optional(
    Type.Boolean({ description: 'Whether the driver would be knocked out if the part ended now.' }),
  ),
  showPosition: Type.Optional(Type.Boolean()),
  statusFlags: Type.Optional(
    Type.Integer({ description: "The timing source's flag bits, unchanged. 1024: chequered flag." }),
  ),
  lastLap: Type.Optional(LastLap),
  bestLap: Type.Optional(Type.Object(BEST_LAP_PROPERTIES, CLOSED)),
  sectors: Type.Optional(Type.Array(Sector, { description: 'Sectors with a change.' })),
  speeds: Type.Optional(Speeds),
  qualifyingParts: Type.Optional(Type.Array(QualifyingPart, { description: 'Parts with a change.' })),
});

export const TimingSession = Type.Object(
  {
    part: Type.Optional(Type.Integer({ description: 'Current part of qualifying, from 1.' })),
    cutOff: Type.Optional(Nullable(LapTime)),
    cutOffPercent: Type.Optional(Nullable(Type.Integer({ description: 'Percent of the fastest time.' }))),
    withheld: Type.Optional(Type.Boolean({ description: 'Whether the times are hidden.' })),
    entries: Type.Optional(
      Type.Array(
        Type.Object(
          {
            part: Type.Integer({ description: 'From 1.' }),
            drivers: Type.Integer({ description: 'Number of cars.' }),
          },
          CLOSED,
        ),
        { description: 'Number of cars in each part of qualifying.' },
      ),
    ),
  },
  { ...CLOSED, description: 'Changes that concern the whole session.' },
);

export type TimingDriver = Type.Static<typeof TimingDriver>;
export type TimingSector = Type.Static<typeof Sector>;
export type TimingSpeeds = Type.Static<typeof Speeds>;
export type TimingQualifyingPart = Type.Static<typeof QualifyingPart>;
export type TimingSession = Type.Static<typeof TimingSession>;

export const TimingDataPayload = Payload('timing.data', 'Positions, gaps, laps, sectors and speeds.', {
  session: Type.Optional(TimingSession),
  drivers: Type.Array(TimingDriver),
});
