// analytics.strategy: how many stops each car has left, and when the next one is due.

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
    stint: Type.Integer({ description: 'Number of the stint, from 1.' }),
    compound: Nullable(Type.String({ description: 'Compound as the timing source names it; null: not known.' })),
    isNew: Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
    fromLap: Type.Integer({ description: 'Lap of the race on which the stint began, from 1.' }),
    tireAgeLaps: Type.Integer({ description: 'Laps on the tires at the end of the stint, or now in the current one.' }),
  },
  CLOSED,
);

const StopLap = Type.Object(
  {
    p25: Type.Integer({ description: 'Lap by the end of which the next stop has come with a chance of 25 %.' }),
    p50: Type.Integer({ description: 'The same with a chance of 50 %.' }),
    p75: Type.Integer({ description: 'The same with a chance of 75 %.' }),
  },
  { ...CLOSED, description: 'Lap of the next stop, given that there is one; null: a stop is unlikely.' },
);

export const StrategyDriver = DriverEntry({
  stopsDone: Type.Integer({ description: 'Pit visits so far, or tire changes if there were more.' }),
  noStopProbability: probability('Chance of no further stop.'),
  oneStopProbability: probability('Chance of exactly one further stop. The three chances sum to 1.'),
  moreStopsProbability: probability('Chance of two or more further stops.'),
  nextStopLap: Nullable(StopLap),
  compoundsUsed: Type.Array(Type.String(), { description: 'Compounds used so far, in the order of first use.' }),
  anotherCompoundRequired: Type.Boolean({ description: 'Whether the rules still require another dry compound.' }),
  tireAgeLaps: Type.Integer({ description: 'Laps on the current tires.' }),
  typicalStintLaps: Type.Number({ description: 'Typical tire age at the end of a stint on this compound.' }),
  typicalStintDeviationLaps: Type.Number({ description: 'Standard deviation around typicalStintLaps.' }),
  stints: Type.Array(Stint, { description: 'All stints so far, including the current one.' }),
});

export type StrategyDriver = Type.Static<typeof StrategyDriver>;

export const StrategyPayload = AnalyticsPayload(
  'analytics.strategy',
  {
    reports: 'How many stops each car has left, and when the next one is due.',
    method:
      'stint lengths follow a logistic distribution around the typical length of their compound, given the present ' +
      "age of the tires. The typical length is a prior (a fraction of a full race) updated by this race's stints: " +
      'those that ended with a stop under green count in full, the others as lower bounds. In a full-length dry ' +
      'race a car that has used only one compound is certain to stop. No car stops for worn tires on the last three ' +
      'laps.',
    limits:
      'the model follows what teams do, not what would be best. Stops for other reasons (damage, rain, a drying ' +
      'track, a safety car) are not predicted. The prior is an assumption, so the quartiles are wide.',
    measured:
      'at Baku 2018 29 % of the next stops came within p25 to p75, where 50 % is the target (503 forecasts). The ' +
      'mean error of p50 was 6.3 laps, against 6.2 for the middle of the laps left. The log-loss of the number of ' +
      "further stops was 0.96, against 1.51 for the other race's shares. In the 2025 Miami sprint, on a drying " +
      'track, it was 2.89, against 1.03.',
  },
  {
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps the leader still has to complete, including the current one.',
        }),
        stintsLearnedFrom: Type.Integer({
          description: 'Stints of this race with a known full length. The others count as lower bounds.',
        }),
      },
      { ...CLOSED, description: 'Figures for all cars.' },
    ),
    drivers: Type.Array(StrategyDriver),
  },
);
