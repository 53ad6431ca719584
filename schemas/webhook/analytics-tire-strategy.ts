// analytics.tire-strategy: how soon each car may stop, and on which tires it may go on.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };
const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const StopWithin = Type.Object(
  {
    laps: Type.Integer({ description: 'Number of laps, the current one included.' }),
    probability: Probability('Chance that the car comes in by the end of them.'),
  },
  CLOSED,
);

const NextTires = Type.Object(
  {
    compound: Nullable(
      Type.String({
        description:
          'Compound as the timing source names it; null: one that nobody has used yet, in a race with the names of 2018.',
      }),
    ),
    probability: Probability('Chance that the next tires are of this compound, given that there is a stop.'),
    p50Lap: Type.Integer({ description: 'Lap by the end of which half of the stops for this compound have come.' }),
  },
  CLOSED,
);

export const TireStrategyDriver = DriverEntry({
  compound: Type.String({ description: 'Compound of the current tires as the timing source names it.' }),
  tireAgeLaps: Type.Integer({ description: 'Laps on the current tires.' }),
  stopProbability: Probability('Chance of a further stop.'),
  stopWithin: Type.Array(StopWithin, {
    description: 'Chances of a stop soon: within 1, 3, 5 and 10 laps, if so many are left.',
  }),
  nextTires: Type.Array(NextTires, {
    description: 'The tires that may come next, the likeliest first; of 1 % and more.',
  }),
});

export type TireStrategyDriver = Type.Static<typeof TireStrategyDriver>;

export const TireStrategyPayload = AnalyticsPayload(
  'analytics.tire-strategy',
  {
    reports: 'How soon each car may stop, and on which tires it may go on.',
    method:
      'the chances of a stop are those behind analytics.strategy. The next tires: a logit of changing between dry and rain ' +
      'tires by what the other cars drive on, and among dry ones a logit of the laps left after the stop, the present tires, ' +
      'whether the rules require others, and what other cars took in this race. Fitted to the Grands Prix of 2018 to 2021.',
    limits:
      'the sets that a car has left are not known, nor what its team plans. Rain is not predicted. Cars in the pits are left out.',
    measured:
      'in 21 Grands Prix of 2022, left out of the fit: of a stop within five laps (told 11.5 %, happened 16.8 %) the Brier score ' +
      'was 0.119, less than that of a table of past races by 0.013 (standard error 0.006). Of the next tires the log-loss was ' +
      '0.932, more than that of such a table by 0.048 (0.035).',
  },
  {
    session: Type.Object(
      {
        lapsLeft: Type.Integer({ description: 'Laps the leader still has to complete, including the current one.' }),
      },
      { ...CLOSED, description: 'Figures for the race.' },
    ),
    drivers: Type.Array(TireStrategyDriver),
  },
);
