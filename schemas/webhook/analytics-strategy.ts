// analytics.strategy: how many stops each car has to come, and when the next one is due. .

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

function probability(description: string) {
  return Type.Number({ minimum: 0, maximum: 1, description });
}

const Stint = Type.Object(
  {
    stint: Type.Integer({ description: 'From 1.' }),
    compound: Nullable(Type.String({ description: 'As the timing tells it; null: not told.' })),
    isNew: Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
    fromLap: Type.Integer({ description: 'Lap of the race on which it began, from 1.' }),
    tireAgeLaps: Type.Integer({ description: 'Laps that the tires had done at its end; of the present one, now.' }),
  },
  CLOSED,
);

const StopLap = Type.Object(
  {
    p25: Type.Integer({ description: 'Lap by whose end a quarter of the possible next stops are made.' }),
    p50: Type.Integer({ description: 'Half of them.' }),
    p75: Type.Integer({ description: 'Three quarters of them.' }),
  },
  { ...CLOSED, description: 'When the next stop is due, if there is one; null: hardly any is to be expected.' },
);

export const StrategyDriver = DriverEntry({
  stopsDone: Type.Integer({ description: 'Times in the pits so far, or changes of tires where these show more.' }),
  noStopProbability: probability('That no further stop comes.'),
  oneStopProbability: probability('That one comes. The three add up to 1.'),
  moreStopsProbability: probability('That two or more come.'),
  nextStopLap: Nullable(StopLap),
  compoundsUsed: Type.Array(Type.String(), { description: 'In the order of their first use.' }),
  anotherCompoundRequired: Type.Boolean({ description: 'Whether the rules ask for another dry compound still.' }),
  tireAgeLaps: Type.Integer({ description: 'Laps that the tires have done.' }),
  typicalStintLaps: Type.Number({ description: 'Typical age of tires of this compound at the end of their stint.' }),
  typicalStintDeviationLaps: Type.Number({ description: 'Standard deviation of stints around that.' }),
  stints: Type.Array(Stint, { description: 'So far, the present one included.' }),
});

export type StrategyDriver = Type.Static<typeof StrategyDriver>;

export const StrategyPayload = AnalyticsPayload(
  'analytics.strategy',
  {
    tells: 'How many stops each car has to come, and when the next one is due.',
    method:
      'stints end as a logistic distribution around the typical length of their compound, given the age of the ' +
      "tires; that length is a prior (a part of a full race) which this race's stints move: those that ended with a " +
      'stop under green, and the others by how long they have lasted at least. In a full dry race a car that has ' +
      'used one compound only is sure to stop; nobody stops for worn tires on the last three laps.',
    limits:
      'what teams do, not what would be best; stops for other reasons (damage, rain, a drying track, a safety car) ' +
      'are not foreseen, and the prior is an assumption: the quartiles are wide for a reason.',
    measured:
      'at Baku 2018 29 % of the next stops came within p25 to p75 (half was meant; 503 forecasts), p50 was off by ' +
      "6.3 laps, the middle of the laps left by 6.2; log-loss of the number of further stops 0.96 (other race's " +
      'shares 1.51), in the drying Miami sprint of 2025 2.89 (1.03).',
  },
  {
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps that the leader has still to complete, the present one included.',
        }),
        stintsLearnedFrom: Type.Integer({
          description: 'Stints of this race that ended with their tires; the others count as longer than so far.',
        }),
      },
      { ...CLOSED, description: 'What holds for all cars.' },
    ),
    drivers: Type.Array(StrategyDriver),
  },
);
