// analytics.race-odds: how the race may end, for every car still racing.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const RaceOddsDriver = DriverEntry({
  winProbability: Probability('Chance of a win.'),
  podiumProbability: Probability('Chance of finishing in the top three.'),
  pointsProbability: Probability('Chance of finishing in a points position.'),
  expectedPosition: Type.Number({ description: 'Mean of the final position, from 1.' }),
  expectedPoints: Type.Number({
    description: 'Mean of the points, by the table of the race or sprint, without the point for the fastest lap.',
  }),
  retirementProbability: Probability('Chance of retiring.'),
  teammateNumber: Nullable(Type.String({ description: 'Racing number of the teammate; null: none still racing.' })),
  beatsTeammateProbability: Nullable(
    Probability('Chance of finishing ahead of the teammate; null: none still racing.'),
  ),
  positionProbabilities: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
    description: 'Chance of each final position, from first to the number of cars still racing. They sum to 1.',
  }),
});

export type RaceOddsDriver = Type.Static<typeof RaceOddsDriver>;

export const RaceOddsPayload = AnalyticsPayload(
  'analytics.race-odds',
  {
    reports:
      'How the race may end, for every car still racing. Sent once per lap of the leader, when racing is neutralised ' +
      'or resumes, when a car is out, and at the end.',
    method:
      'the remaining time of each car is normally distributed (gap, pace over the laps left, stops to come, a fixed ' +
      'time for each car to pass); safety cars and retirements are mixed in. The distribution over positions is ' +
      'computed without random draws. Parameters come from the f1db seasons 2014 to 2021 (grid to result, ' +
      'retirements, gaps, stops) and from figures published for those years; a few are assumptions.',
    limits:
      'penalties, damage, future weather and team orders are left out. All cars have the same chance of retiring. A ' +
      'car that stopped may return. Tire changes under a red flag are not predicted. Where the timing has no gaps, ' +
      'typical ones stand in. At the end the odds are the order on the road, which the stewards may still change.',
    measured:
      'on five recorded races, at 25, 50 and 75 % of the distance, the ranked probability score of all places was ' +
      'below that of the current order by 0.046, 0.044 and 0.030, and similar to that of a smoothed current order. ' +
      'The log-loss of the winner was below that of the smoothed order by 0.41, 0.25 and 0.27.',
  },
  {
    drivers: Type.Array(RaceOddsDriver),
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps the leader still has to complete, including the current one.',
        }),
      },
      { additionalProperties: false },
    ),
  },
);
