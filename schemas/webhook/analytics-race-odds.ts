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
      'the remaining time of each car is normally distributed (gap, pace over the laps left, stops to come, a time for ' +
      'each car to pass); safety cars and retirements are mixed in. With an imported history, pace is drawn towards the ' +
      "driver's strength before the weekend, which fades with the laps left, and cars retire as their records say. Stops " +
      'and passes cost what they do at the circuit. The distribution over positions is computed without random draws. Fitted to the laps of 2018 to 2021; what a safety car does is an assumption.',
    limits:
      'penalties, damage, future weather and team orders are left out. Circuits without laps in those seasons are ' +
      'average ones. A car that stopped may return. Tire changes under a red flag are not predicted. Where the timing has no gaps, ' +
      'typical ones stand in. At the end the odds are the order on the road, which the stewards may still change.',
    measured:
      'on the 22 Grands Prix of 2022, left out of the fit, the log-loss of the winner was 0.998, 0.741, 0.492 and 0.280 ' +
      'in the four quarters of the race, below that of a smoothed current order by 0.810, 0.755, 0.717 and 0.349. On ' +
      'five recorded races all places were forecast no better than by the smoothed order.',
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
