// analytics.tire-health: how worn each car's tires are, measured by the lap time lost to wear.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

export const TireHealthDriver = DriverEntry({
  compound: Type.String({ description: 'Compound as the timing source names it, such as "SOFT".' }),
  startedNew: Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
  ageLaps: Type.Integer({ description: 'Laps on the tires.' }),
  degradationSecondsPerLap: Type.Number({
    description: 'Seconds by which the lap time grows with each lap on the tires.',
  }),
  degradationUncertaintySecondsPerLap: Type.Number({ description: 'Standard deviation of degradationSecondsPerLap.' }),
  lostToWearSeconds: Type.Number({ description: 'Seconds a lap now takes longer than on new tires of the compound.' }),
  lostToWearUncertaintySeconds: Type.Number({ description: 'Standard deviation of lostToWearSeconds.' }),
  healthPercent: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: '100: wear costs nothing; 0: wear costs `wornSeconds` per lap or more.',
  }),
  lapsUntilWorn: Nullable(
    Type.Integer({
      description: 'Laps until healthPercent is 0; null: not before the end of the race, or hardly any wear.',
    }),
  ),
  cliff: Type.Boolean({
    description: 'Whether the latest three clean laps were all much slower than stint and wear explain.',
  }),
  stintLaps: Type.Integer({ description: 'Recent clean laps of this stint.' }),
  compoundLaps: Type.Integer({ description: 'Clean laps of all cars on the compound behind the estimate.' }),
});

export type TireHealthDriver = Type.Static<typeof TireHealthDriver>;

export const TireHealthPayload = AnalyticsPayload(
  'analytics.tire-health',
  {
    reports: "How worn each car's tires are, measured by the lap time lost to wear.",
    method:
      'the wear of each compound is fitted on the clean laps of all cars, together with fuel, traffic and what all ' +
      'cars share on a lap (see analytics.true-pace); all cars on a compound get the same wear. Health is ' +
      '100 where wear costs nothing, and 0 where a lap takes `wornSeconds` longer than on new tires.',
    limits:
      'on a drying track, or with drivers saving tires, wear may come out as zero or negative. Until cars on tires ' +
      'of different ages have run together, wear is mostly the prior (0.05 s per lap), and its uncertainty is large. ' +
      'Laps in the pits or behind a safety car age tires like any other lap.',
    measured:
      'the truth is how much slower three clean laps are than three clean laps five laps earlier, corrected for the fuel burnt ' +
      'in between. In the 22 Grands Prix of 2022 the wear over five laps was off by 0.571 s, a flat 0.05 s a lap for every tire ' +
      'by 0.589 s: a difference of less than two standard errors. In 61 % of these forecasts the 80 % interval held the median ' +
      'wear of the compound in the race.',
  },
  {
    session: Type.Object(
      { wornSeconds: Type.Number({ description: 'Seconds per lap lost to wear at which healthPercent is 0.' }) },
      { additionalProperties: false, description: 'Figures for all cars.' },
    ),
    drivers: Type.Array(TireHealthDriver),
  },
);
