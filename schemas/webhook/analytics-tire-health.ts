// analytics.tire-health: how worn each car's tires are, by what wear costs on a lap. .

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

export const TireHealthDriver = DriverEntry({
  compound: Type.String({ description: 'As the timing tells it: "SOFT".' }),
  startedNew: Nullable(Type.Boolean({ description: 'Whether the tires were new at the start of the stint.' })),
  ageLaps: Type.Integer({ description: 'Laps that the tires have done.' }),
  degradationSecondsPerLap: Type.Number({
    description: 'What a lap takes more for each lap that the tires have done.',
  }),
  degradationUncertaintySecondsPerLap: Type.Number({ description: 'Standard deviation of that.' }),
  lostToWearSeconds: Type.Number({ description: 'What a lap now takes more than on new tires of the compound.' }),
  lostToWearUncertaintySeconds: Type.Number({ description: 'Standard deviation of that.' }),
  healthPercent: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: '100: wear costs nothing; 0: it costs `wornSeconds` on a lap, or more.',
  }),
  lapsUntilWorn: Nullable(
    Type.Integer({ description: 'Laps until the health is 0; null: not before the end of the race.' }),
  ),
  cliff: Type.Boolean({
    description: 'Whether the latest three clean laps were all much slower than the stint and its wear explain.',
  }),
  stintLaps: Type.Integer({ description: 'Latest clean laps of this stint that it is drawn from.' }),
  compoundLaps: Type.Integer({ description: 'Clean laps of all cars on the compound that it is drawn from.' }),
});

export type TireHealthDriver = Type.Static<typeof TireHealthDriver>;

export const TireHealthPayload = AnalyticsPayload(
  'analytics.tire-health',
  {
    tells: "How worn each car's tires are, by what wear costs on a lap.",
    method:
      'the wear of each compound is fitted on the clean laps of all cars, beside fuel, traffic and what all share ' +
      "on a lap (see analytics.true-pace); a car's own laps of the stint move it a little. Health is 100 where wear " +
      'costs nothing and 0 where a lap takes `wornSeconds` more than on new tires.',
    limits:
      'with a drying track or saved tires wear may come out as nothing or less than that; before cars on tires of ' +
      'different age have been on the track together it is mostly the prior (0.05 s a lap), which the uncertainty ' +
      'shows. Laps in the pits or behind a safety car age tires like any other.',
    measured: 'not at all; the timing tells no wear to hold it against.',
  },
  {
    session: Type.Object(
      { wornSeconds: Type.Number({ description: 'What wear costs on a lap where health is 0.' }) },
      { additionalProperties: false, description: 'What holds for all cars.' },
    ),
    drivers: Type.Array(TireHealthDriver),
  },
);
