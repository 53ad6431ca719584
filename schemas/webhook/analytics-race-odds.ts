// analytics.race-odds: how the race may end, for every car that still races.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const RaceOddsDriver = DriverEntry({
  winProbability: Probability('Chance to win.'),
  podiumProbability: Probability('Chance to be among the first three.'),
  pointsProbability: Probability('Chance of a place that scores.'),
  expectedPosition: Type.Number({ description: 'Mean of the final position, from 1.' }),
  expectedPoints: Type.Number({
    description: 'Mean of the points, by the table of the race or the sprint; without a point for the fastest lap.',
  }),
  retirementProbability: Probability('Chance not to see the end.'),
  teammateNumber: Nullable(Type.String({ description: 'Racing number of the teammate; null when he races no more.' })),
  beatsTeammateProbability: Nullable(Probability('Chance to finish before the teammate; null when he races no more.')),
  positionProbabilities: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
    description: 'Chance of each final position, from the first to the number of cars that race. The sum is 1.',
  }),
});

export type RaceOddsDriver = Type.Static<typeof RaceOddsDriver>;

export const RaceOddsPayload = AnalyticsPayload(
  'analytics.race-odds',
  {
    tells:
      'How the race may end, for every car that still races; once a lap of the leader, when cars may no longer race ' +
      'or may again, when one is out, and at the end.',
    method:
      "each car's remaining time is normal (gap, pace over the laps left, stops to come, a time for each car to " +
      'pass), with a safety car and retirements mixed in; the distribution over positions follows without drawing ' +
      "lots. Parameters: f1db's seasons 2014 to 2021 (grid to result, retirements, gaps, stops) and figures " +
      'published for those years; a few are assumptions.',
    limits:
      "no penalties, no damage, no weather to come, no drivers' orders; all cars retire alike; a car that stopped " +
      'may return; tires that are changed under a red flag are not foreseen. Where the timing has no gaps, typical ' +
      'ones stand in. At the end the odds are the order on the road, which stewards may still change.',
    measured:
      'on five recorded races, at 25, 50 and 75 % of the distance, the ranked probability score of all places was ' +
      'less than that of the current order by 0.046, 0.044 and 0.030, and like that of a smoothed current order; ' +
      "the winner's log-loss was less than the smoothed order's by 0.41, 0.25 and 0.27.",
  },
  {
    drivers: Type.Array(RaceOddsDriver),
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps that the leader has still to complete, the present one included.',
        }),
      },
      { additionalProperties: false },
    ),
  },
);
