// analytics.team-points: the points that each team may score in the race.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const TeamPointsDriver = DriverEntry({
  pointsExpected: Type.Number({ description: 'Mean of the points from this race.' }),
  pointsProbability: Probability('Chance of any points.'),
});

export const TeamPointsTeam = Type.Object(
  {
    team: Type.String({ description: 'Team name, such as "McLaren".' }),
    constructorId: Type.String({ description: 'Slug of the team name, such as "mclaren".' }),
    driverNumbers: Type.Array(Type.String(), { description: 'Racing numbers of its cars still racing.' }),
    pointsExpected: Type.Number({ description: 'Mean of the points from this race.' }),
    pointsLow: Type.Number({ description: '10 % quantile of the points.' }),
    pointsMedian: Type.Number({ description: 'Median of the points.' }),
    pointsHigh: Type.Number({ description: '90 % quantile of the points.' }),
    pointsProbability: Probability('Chance of any points.'),
    bothInPointsProbability: Probability('Chance that both cars score.'),
    bothOnPodiumProbability: Probability('Chance that both cars are among the first three.'),
    oneTwoProbability: Probability('Chance of first and second place.'),
  },
  { additionalProperties: false },
);

export type TeamPointsDriver = Type.Static<typeof TeamPointsDriver>;
export type TeamPointsTeam = Type.Static<typeof TeamPointsTeam>;

export const TeamPointsPayload = AnalyticsPayload(
  'analytics.team-points',
  {
    reports: 'The points that each team with a car still racing may score. Sent after each analytics.race-odds.',
    method:
      'the final positions of both cars as analytics.race-odds has them, taken together: two cars never have the same ' +
      'position. Otherwise they are independent. Positions give points by the table of the race or sprint.',
    limits:
      'those of analytics.race-odds; team orders above all. The point for the fastest lap (2019 to 2024) and reduced points ' +
      'after a shortened race are left out.',
    measured:
      'on the 22 Grands Prix of 2022, left out of the fit, the RPS of the points of a team was 0.0432, less than that of a ' +
      'smoothed current order by 0.0181 (standard error 0.0022). Taking the cars together gained 0.0001 (0.0001).',
  },
  {
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps the leader still has to complete, including the current one.',
        }),
      },
      { additionalProperties: false, description: 'Figures for the race.' },
    ),
    drivers: Type.Array(TeamPointsDriver),
    teams: Type.Array(TeamPointsTeam, { description: 'Teams, the one with the most expected points first.' }),
  },
);
