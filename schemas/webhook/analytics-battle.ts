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
      'the closing speed is the change of the gap over up to four laps behind the same car; with fewer laps it is ' +
      'pulled towards the difference in pace. Gaps behind a safety car and around stops do not count. A car passes ' +
      'when it has made up the gap plus the time that a pass takes: 1.6 s, the advantage needed at Baku in TU ' +
      "Munich's race simulation. Laps scatter by 0.5 s. The bounds are an 80 % interval for the uncertainty of the " +
      'closing speed.',
    limits:
      'all circuits are treated alike; slipstream and driver skill are not modelled; blue flags and team orders are ' +
      'not known. Passing is not allowed behind a safety car, so there are no battles then.',
    measured:
      'the Brier score of passes within five laps was 0.276 at Baku 2018 (176 forecasts; 45 % passed, 22 % ' +
      'predicted on average) and 0.158 in the 2025 Miami sprint (90 forecasts; 13 % passed, 24 % predicted). A ' +
      "constant forecast with the other race's share gives 0.351 and 0.219; with the race's own share it would give " +
      '0.248 and 0.116.',
  },
  {
    drivers: Type.Array(Driver),
    session: Type.Object(
      { battles: Type.Array(Battle, { description: 'Sorted by position; empty when the last battle has ended.' }) },
      { additionalProperties: false },
    ),
  },
);
