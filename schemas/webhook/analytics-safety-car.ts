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
      description: 'Which safety car is out now.',
    }),
    deployments: Type.Integer({ description: 'Deployments so far, virtual ones included.' }),
    nextLap: Chance('Within the next lap of the leader.'),
    nextFiveLaps: Chance('Within the next five laps of the leader.'),
    untilEnd: Chance('By the end of the race.'),
    expectedLaps: Type.Number({
      description: 'Laps of the leader that are still expected behind a real safety car, by the end of the race.',
    }),
    yellowFlag: Type.Boolean({ description: 'Whether a yellow flag raises the chance.' }),
    standingCar: Type.Boolean({ description: 'Whether a car that has just dropped out raises the chance.' }),
    rainChanged: Type.Boolean({ description: 'Whether rain that has just begun or stopped raises the chance.' }),
  },
  { additionalProperties: false },
);

export type SafetyCarData = Type.Static<typeof SafetyCarData>;

export const SafetyCarPayload = AnalyticsPayload(
  'analytics.safety-car',
  {
    tells:
      'How likely a safety car is; once a lap of the leader, when cars may no longer race or may again, and when ' +
      'one is out.',
    method:
      'a constant rate per lap, higher on the first lap, from the real safety cars of 2014 to 2019 as published ' +
      "with TU Munich's race simulation (86 in 121 races), lowered as cars drop out, raised while a yellow flag is " +
      'shown, a car stands or the weather has just changed. By how much these raise it is an assumption. The bounds ' +
      'are what the counts leave open of the rate, with a chance of 80 %; they know nothing of what the assumptions ' +
      'leave open. Virtual safety cars are not counted in the source: the chances are those of a real one.',
    limits: 'no circuits, no weather forecast; a sprint counts as a third of a race.',
    measured: 'not at all; five recorded races cannot tell how often a safety car comes.',
  },
  {
    data: SafetyCarData,
  },
);
