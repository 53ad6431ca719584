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
      'each lap has a chance of a stop: a logit of the compound and its age, the laps left, how old the tires would be at the ' +
      'end, stops done, the rules, what the other cars drive on, and the circuit; on the present lap also of the flag and of ' +
      'who stopped before. It is fitted to every lap of the Grands Prix of 2018 to 2021. In a full-length dry race a car that ' +
      'has used only one compound is certain to stop. Cars in the pits are left out.',
    limits:
      'the model follows what teams do, not what would be best. Damage, rain and safety cars to come are not predicted. ' +
      'typicalStintLaps is a prior, a fraction of a full race, moved by the stints of this race.',
    measured:
      'in 21 Grands Prix of 2022, left out of the fit, 49 % of the next stops came within p25 to p75, where 50 % is the ' +
      'target. The error of p50 was 5.8 laps, that of a table of past races 6.1. The log-loss of the number of further stops ' +
      'was 0.721, less than that of the table by 0.022 (standard error 0.045).',
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
