// analytics.gap-projection: the gaps to come, if nobody stops. .

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

function quantiles(description: string) {
  return Type.Object(
    {
      p10Seconds: Type.Number({ description: 'One of ten is smaller.' }),
      p50Seconds: Type.Number({ description: 'Half are smaller. Less than 0: the car is in front then.' }),
      p90Seconds: Type.Number({ description: 'Nine of ten are smaller.' }),
    },
    { ...CLOSED, description },
  );
}

const Projection = Type.Object(
  {
    inLaps: Type.Integer({ description: 'Laps from now; at the end of the race fewer than asked.' }),
    gapToLeader: Nullable(quantiles('To the car that leads now; null: it leads, is lapped, or its gap is not told.')),
    gapToAhead: Nullable(quantiles('To the car that is ahead now; null: not told, or one of them is in the pits.')),
  },
  CLOSED,
);

const CatchAhead = Type.Object(
  {
    probability: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'That it is within a second on some lap before the end; at least so much.',
    }),
    lap: Nullable(Type.Integer({ description: 'Lap on which it is to be expected; null: on none.' })),
  },
  {
    ...CLOSED,
    description: 'When the car ahead is caught, nobody stopping; null: nobody ahead, or the gap is not told.',
  },
);

export const GapProjectionDriver = DriverEntry({
  aheadNumber: Nullable(Type.String({ description: 'Racing number of the car ahead; null: none that counts.' })),
  paceLaps: Type.Integer({ description: 'Clean laps that the pace of the car is drawn from.' }),
  projections: Type.Array(Projection, { description: 'In 1, 3, 5 and 10 laps, or at the end of the race.' }),
  catchAhead: Nullable(CatchAhead),
});

export type GapProjectionDriver = Type.Static<typeof GapProjectionDriver>;

export const GapProjectionPayload = AnalyticsPayload(
  'analytics.gap-projection',
  {
    tells: 'The gaps to come, if nobody stops.',
    method:
      "each gap moves by the difference of the two cars' paces (see analytics.true-pace; here with the tires as " +
      'they are) and of their wear, with a normal distribution: what is uncertain about the paces grows with the ' +
      'laps, the scatter of laps with their root. Behind half a second cars are held up at first. Right after a ' +
      'start or restart the field draws apart. Told under green only, once there are clean laps. The widths were ' +
      'fitted to one race (Baku 2018).',
    limits:
      'stops, safety cars, rain and mistakes are not foreseen; a gap beyond a lap is not told in seconds, so there ' +
      'is no projection to the leader for lapped cars, and none to a car that is in the pits.',
    measured:
      'five laps later at Baku 2018, where the widths were fitted, 79 % of the gaps to the leader (257) and to the ' +
      'car ahead (280) were within p10 to p90, the median off by 3.5 s and 2.8 s (9.0 s and 3.1 s if the gap stays ' +
      'as it is); three laps later in the Miami sprint of 2025 86 % (85) and 96 % (80), off by 2.2 s and 0.8 s (5.4 ' +
      's and 0.9 s).',
  },
  {
    drivers: Type.Array(GapProjectionDriver),
  },
);
