// analytics.championship: what the race may mean for the championship.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const GAIN_PROPERTIES = {
  pointsGainedExpected: Type.Number({ description: 'Mean of the points gained in this race.' }),
  pointsGainedLow: Type.Number({ description: 'Points gained: 10 % quantile.' }),
  pointsGainedMedian: Type.Number({ description: 'Points gained: median.' }),
  pointsGainedHigh: Type.Number({ description: 'Points gained: 90 % quantile.' }),
  pointsBefore: Nullable(Type.Number({ description: 'Championship points before the race; null: not told.' })),
  pointsAfterExpected: Nullable(Type.Number({ description: 'Mean of the championship points after the race.' })),
  championshipPositionBefore: Nullable(Type.Integer({ description: 'Place in the championship before the race.' })),
  championshipPositionExpected: Nullable(
    Type.Integer({ description: 'Place in the championship by the expected points after the race.' }),
  ),
};

export const ChampionshipDriver = DriverEntry(GAIN_PROPERTIES);

export const ChampionshipTeam = Type.Object(
  {
    team: Type.String({ description: 'Team name: "McLaren".' }),
    constructorId: Type.String({ description: 'Slug of the team name: "mclaren".' }),
    ...GAIN_PROPERTIES,
  },
  { additionalProperties: false },
);

export type ChampionshipDriver = Type.Static<typeof ChampionshipDriver>;
export type ChampionshipTeam = Type.Static<typeof ChampionshipTeam>;

export const ChampionshipPayload = AnalyticsPayload(
  'analytics.championship',
  {
    tells: 'What the race may mean for the championship; told after the odds of the race.',
    method:
      'the points of each final position, weighted with its chance (analytics.race-odds); what a team gains is the ' +
      'sum over its drivers, taken as independent. Totals and places start from the points before the race, where ' +
      'the timing source tells them (its championship prediction); else they are null.',
    limits:
      'those of the odds; no point for the fastest lap (2019 to 2024), no reduced points; the expected place is ' +
      'that among expected totals, ties in the order of names.',
    measured: 'as the odds that it is made of.',
  },
  {
    drivers: Type.Array(ChampionshipDriver),
    teams: Type.Array(ChampionshipTeam),
  },
);
