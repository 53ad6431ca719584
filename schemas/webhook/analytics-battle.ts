// analytics.battle: cars within two seconds of the car ahead.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { Driver } from './driver.ts';
import { Nullable } from './nullable.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Chance = (description: string) =>
  Type.Object(
    {
      probability: Probability('Chance of a pass.'),
      lower: Probability('Lower bound of that chance (80 % interval).'),
      upper: Probability('Upper bound of that chance (80 % interval).'),
    },
    { additionalProperties: false, description },
  );

export const Battle = Type.Object(
  {
    ahead: Type.String({ description: 'Racing number of the car ahead.' }),
    behind: Type.String({ description: 'Racing number of the car behind.' }),
    position: Type.Integer({ description: 'Position they fight for.' }),
    gapSeconds: Type.Number({ description: 'Gap between the two cars, in seconds.' }),
    withinOneSecond: Type.Boolean({ description: 'Whether the gap is at most one second, the DRS limit.' }),
    closingSecondsPerLap: Type.Number({ description: 'Seconds by which the gap shrinks per lap; negative: it grows.' }),
    closingDeviationSecondsPerLap: Type.Number({ description: 'Standard deviation of closingSecondsPerLap.' }),
    lapsTogether: Type.Integer({ description: 'Laps over which the gap to this car was tracked, at most five.' }),
    tireAgeDifferenceLaps: Nullable(
      Type.Integer({
        description: 'Tire age of the car behind minus that of the car ahead, in laps; null: not known.',
      }),
    ),
    compoundAhead: Nullable(
      Type.String({ description: 'Tire compound of the car ahead, such as "SOFT"; null: not known.' }),
    ),
    compoundBehind: Nullable(Type.String({ description: 'Tire compound of the car behind; null: not known.' })),
    passWithinOneLap: Chance('Chance of a pass within one lap.'),
    passWithinThreeLaps: Chance('Chance of a pass within three laps, or by the end of the race if that is sooner.'),
    passWithinFiveLaps: Chance('Chance of a pass within five laps, or by the end of the race if that is sooner.'),
  },
  { additionalProperties: false },
);

export type Battle = Type.Static<typeof Battle>;

export const BattlePayload = AnalyticsPayload(
  'analytics.battle',
  {
    reports:
      'Cars within two seconds of the car ahead. Sent once per lap of the leader while there are any, and once more, ' +
      'empty, when the last battle ends.',
    method:
      'the chance of a pass is a logit of the gap, of how it changed over up to four laps behind the same car and on the ' +
      'latest, of the latest lap times of a car that has just arrived, of tire age and compound, of how far the race is, rain tires, and the circuit. It is fitted to the Grands ' +
      'Prix of 2018 to 2021. The bounds are an 80 % interval for what the circuit and the closing speed may change. The ' +
      'closing speed itself is the change of the gap; with few laps it is pulled towards the difference in pace. Gaps ' +
      'behind a safety car and around stops do not count.',
    limits:
      'circuits are known by the name of their event, as far as races of 2018 to 2021 were there; slipstream and driver ' +
      'skill are not modelled; blue flags and team orders are not known. In the rain chances are those of an average ' +
      'wet race. Passing is not allowed behind a safety car, so there are no battles then.',
    measured:
      'on 22 Grands Prix of 2022, left out: Brier score of passes within three laps 0.108, against 0.131 by a logit of ' +
      'the gap alone: -0.023 (0.003). In the sprints of 2022, 2023 and 2024 the difference was -0.007 (0.006), -0.004 (0.010) ' +
      'and -0.010 (0.002): not shown to be better in each.',
  },
  {
    drivers: Type.Array(Driver),
    session: Type.Object(
      { battles: Type.Array(Battle, { description: 'Sorted by position; empty when the last battle has ended.' }) },
      { additionalProperties: false },
    ),
  },
);
