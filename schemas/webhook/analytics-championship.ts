// analytics.championship: what the race may mean for the championship.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const GAIN_PROPERTIES = {
  pointsGainedExpected: Type.Number({ description: 'Mean of the points from this race.' }),
  pointsGainedLow: Type.Number({ description: '10 % quantile of the points from this race.' }),
  pointsGainedMedian: Type.Number({ description: 'Median of the points from this race.' }),
  pointsGainedHigh: Type.Number({ description: '90 % quantile of the points from this race.' }),
  pointsBefore: Nullable(Type.Number({ description: 'Championship points before the race; null: not known.' })),
  pointsAfterExpected: Nullable(
    Type.Number({ description: 'Mean of the championship points after the race; null: points before it not known.' }),
  ),
  championshipPositionBefore: Nullable(
    Type.Integer({ description: 'Championship position before the race; null: not known.' }),
  ),
  championshipPositionExpected: Nullable(
    Type.Integer({ description: 'Championship position by the expected points after the race; null: not known.' }),
  ),
};

export const ChampionshipDriver = DriverEntry(GAIN_PROPERTIES);

export const ChampionshipTeam = Type.Object(
  {
    team: Type.String({ description: 'Team name, such as "McLaren".' }),
    constructorId: Type.String({ description: 'Slug of the team name, such as "mclaren".' }),
    ...GAIN_PROPERTIES,
  },
  { additionalProperties: false },
);

export type ChampionshipDriver = Type.Static<typeof ChampionshipDriver>;
export type ChampionshipTeam = Type.Static<typeof ChampionshipTeam>;

export const ChampionshipPayload = AnalyticsPayload(
  'analytics.championship',
  {
    reports: 'What the race may mean for the championship. Sent after each analytics.race-odds.',
    method:
      'the points of each final position, weighted with its chance (analytics.race-odds). The gain of a team is that of ' +
      'analytics.team-points. Totals and positions start from the points before the race, if ' +
      'the timing source has them (its championship prediction); otherwise they are null.',
    limits:
      'those of analytics.race-odds. The point for the fastest lap (2019 to 2024) and reduced points after a ' +
      'shortened race are left out. The expected position is the rank among the expected totals; ties are in the ' +
      'order of names.',
    measured: 'see analytics.race-odds, from which it is computed.',
  },
  {
    drivers: Type.Array(ChampionshipDriver),
    teams: Type.Array(ChampionshipTeam),
  },
);
