// analytics.qualifying: how the part of qualifying that runs may end, and the grid, for those who are still in it.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const QualifyingDriver = DriverEntry({
  bestTimeMs: Nullable(Type.Integer({ description: 'Best time of this part, milliseconds; null: none yet.' })),
  eliminationProbability: Nullable(Probability('Chance not to reach the next part; null in the last one.')),
  expectedPartPosition: Type.Number({ description: 'Mean of the position at the end of this part, from 1.' }),
  expectedGridPosition: Type.Number({ description: 'Mean of the place on the grid, before penalties.' }),
  frontRowProbability: Probability('Chance of one of the first two places on the grid.'),
  poleProbability: Probability('Chance of pole position.'),
});

export type QualifyingDriver = Type.Static<typeof QualifyingDriver>;

const CutOffTime = Type.Object(
  {
    lowMs: Type.Integer({ description: '10 % quantile, milliseconds.' }),
    medianMs: Type.Integer({ description: 'Median, milliseconds.' }),
    highMs: Type.Integer({ description: '90 % quantile, milliseconds.' }),
  },
  { additionalProperties: false },
);

export const QualifyingPayload = AnalyticsPayload(
  'analytics.qualifying',
  {
    tells:
      'How the part of qualifying that runs may end, and the grid, for those who are still in it; when somebody has ' +
      'improved, a part begins or ends, or all laps of a part are over, at most every five seconds.',
    method:
      'each driver keeps his best time unless a further lap is faster; a further lap is his best, here or in an ' +
      "earlier part, less what the track gains, with a scatter: both from f1db's sessions of 2014 to 2021. The " +
      'positions follow without drawing lots.',
    limits:
      'the chances that somebody gets another lap in are assumptions; fuel, tires, traffic, rain and deleted laps ' +
      'to come are unknown; in the first part a driver without a time is like all others. The grid takes times of ' +
      'later parts as equally likely for all, so it is rough until the last part; penalties are unknown.',
    measured:
      'in the middle of five recorded parts the Brier score of elimination was 0.069 less than that of the current ' +
      'order (standard error 0.040).',
  },
  {
    drivers: Type.Array(QualifyingDriver),
    session: Type.Object(
      {
        part: Type.Integer({ description: 'Part of qualifying, from 1.' }),
        timeLeftSeconds: Nullable(
          Type.Integer({ description: 'Seconds on the clock; null: no clock is told, or not yet that of this part.' }),
        ),
        cutOffPosition: Nullable(
          Type.Integer({ description: 'The last position that goes on; null in the last part.' }),
        ),
        cutOffTime: Type.Unsafe<Type.Static<typeof CutOffTime> | null>({
          ...CutOffTime,
          type: ['object', 'null'],
          description:
            'Slowest time that will go on, projected; null in the last part, and while too few may get a time.',
        }),
      },
      { additionalProperties: false },
    ),
  },
);
