// analytics.safety-car: how likely a safety car is.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Chance = (description: string) =>
  Type.Object(
    {
      probability: Probability('Chance of at least one new deployment.'),
      lower: Probability('Lower bound of that chance (80 % interval).'),
      upper: Probability('Upper bound of that chance (80 % interval).'),
    },
    { additionalProperties: false, description },
  );

export const SafetyCarData = Type.Object(
  {
    deployed: Type.Union([Type.Literal('none'), Type.Literal('real'), Type.Literal('virtual')], {
      description: 'The safety car that is out now.',
    }),
    deployments: Type.Integer({ description: 'Deployments so far, including virtual ones.' }),
    nextLap: Chance("Chance of a deployment within the leader's next lap."),
    nextFiveLaps: Chance("Chance of a deployment within the leader's next five laps."),
    untilEnd: Chance('Chance of a deployment by the end of the race.'),
    expectedLaps: Type.Number({
      description: "Expected number of the leader's remaining laps behind a real safety car.",
    }),
    yellowFlag: Type.Boolean({ description: 'Whether a yellow flag raises the chance.' }),
    standingCar: Type.Boolean({ description: 'Whether a car that has just stopped or retired raises the chance.' }),
    rainChanged: Type.Boolean({ description: 'Whether rain that has just started or stopped raises the chance.' }),
  },
  { additionalProperties: false },
);

export type SafetyCarData = Type.Static<typeof SafetyCarData>;

export const SafetyCarPayload = AnalyticsPayload(
  'analytics.safety-car',
  {
    reports:
      'How likely a safety car is. Sent once per lap of the leader, when racing is neutralised or resumes, and when ' +
      'a car is out.',
    method:
      'a constant rate per lap, higher on the first lap, from the real safety cars of 2014 to 2019 as published ' +
      "with TU Munich's race simulation (86 in 121 races). The rate falls as cars drop out. It rises while a yellow " +
      'flag is out, after a car has stopped, and after the weather has changed; the size of that rise is an ' +
      'assumption. The bounds are an 80 % interval of the rate given the counts. They do not cover the uncertainty ' +
      'of the assumptions. The source does not count virtual safety cars: all chances are those of a real one.',
    limits: 'circuits and weather forecasts are ignored; a sprint counts as a third of a race.',
    measured:
      'on 22 Grands Prix of 2022, left out: log-loss of a safety car within one lap 0.070, against 0.092 by a constant ' +
      'chance: -0.021 (0.006). Within five laps the difference was -0.003 (0.007), not shown to be better: 4.3 % were ' +
      'told and 6.6 % happened.',
  },
  {
    data: SafetyCarData,
  },
);
