// analytics.gap-projection: future gaps, assuming that no car stops.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

function quantiles(description: string) {
  return Type.Object(
    {
      p10Seconds: Type.Number({ description: '10 % quantile, in seconds.' }),
      p50Seconds: Type.Number({ description: 'Median, in seconds. Negative: the car is then in front of the other.' }),
      p90Seconds: Type.Number({ description: '90 % quantile, in seconds.' }),
    },
    { ...CLOSED, description },
  );
}

const Projection = Type.Object(
  {
    inLaps: Type.Integer({ description: 'Laps from now: 1, 3, 5 or 10, or the laps left if fewer.' }),
    gapToLeader: Nullable(
      quantiles('Gap to the present leader; null: this car leads, is lapped, or has no known gap.'),
    ),
    gapToAhead: Nullable(quantiles('Gap to the car now ahead; null: not known, or one of the two is in the pits.')),
  },
  CLOSED,
);

const CatchAhead = Type.Object(
  {
    probability: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Chance to be within a second on some lap before the end (a lower bound).',
    }),
    lap: Nullable(Type.Integer({ description: 'Expected lap of the catch; null: none expected.' })),
  },
  {
    ...CLOSED,
    description: 'When it catches the car ahead if neither stops; null: no car ahead, or no known gap.',
  },
);

export const GapProjectionDriver = DriverEntry({
  aheadNumber: Nullable(
    Type.String({ description: 'Racing number of the car ahead; null: none, or no known gap to it.' }),
  ),
  paceLaps: Type.Integer({ description: 'Clean laps behind the estimate of the pace of this car.' }),
  projections: Type.Array(Projection, { description: 'Gaps in 1, 3, 5 and 10 laps, or at the end of the race.' }),
  catchAhead: Nullable(CatchAhead),
});

export type GapProjectionDriver = Type.Static<typeof GapProjectionDriver>;

export const GapProjectionPayload = AnalyticsPayload(
  'analytics.gap-projection',
  {
    reports: 'Future gaps, assuming that no car stops.',
    method:
      "each gap changes by the difference of the two cars' paces (see analytics.true-pace, but on their present " +
      'tires) and of their wear. It is normally distributed: the uncertainty of the paces grows with the number of ' +
      'laps, the scatter of laps with its square root. Below half a second the car ahead holds up its follower. ' +
      'After a start or restart the field spreads out. Sent under green only, once there are clean laps. The widths ' +
      'of the intervals were fitted to one race (Baku 2018).',
    limits:
      'stops, safety cars, rain and mistakes are not predicted. Gaps of more than a lap are not reported in seconds, ' +
      'so lapped cars have no projection to the leader. Gaps to a car in the pits are not projected either.',
    measured:
      'at Baku 2018, where the widths were fitted, 79 % of the gaps five laps later were within p10 to p90, both to ' +
      'the leader (257 forecasts) and to the car ahead (280). The mean error of the median was 3.5 s and 2.8 s, ' +
      'against 9.0 s and 3.1 s for an unchanged gap. In the 2025 Miami sprint, three laps later, it was 86 % (85) ' +
      'and 96 % (80), with errors of 2.2 s and 0.8 s, against 5.4 s and 0.9 s.',
  },
  {
    drivers: Type.Array(GapProjectionDriver),
  },
);
