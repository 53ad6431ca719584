// analytics.true-pace: how fast each car is with the effects of fuel, tires and traffic removed.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const CorrectedLap = Type.Object(
  {
    lap: Type.Integer({ description: 'Lap of the race, from 1.' }),
    lapSeconds: Type.Number({ description: 'Lap time as measured.' }),
    fuelSeconds: Type.Number({ description: 'Seconds lost to the fuel on board, against an empty tank.' }),
    tireSeconds: Type.Number({ description: 'Seconds lost to the tires, against new ones of the reference compound.' }),
    trafficSeconds: Type.Number({ description: 'Seconds lost behind the car ahead; negative: its tow gained more.' }),
  },
  { ...CLOSED, description: 'The latest clean lap with its corrections; null: no recent one.' },
);

export const TruePaceDriver = DriverEntry({
  truePaceSeconds: Type.Number({
    description: 'A lap now with an empty tank, new tires of the reference compound and a clear road.',
  }),
  nextLapsSeconds: Nullable(
    Type.Number({
      description:
        'Expected mean of the next three laps, on the present tires and fuel, under green; null: the latest three laps ' +
        'were not all clean.',
    }),
  ),
  offsetSeconds: Type.Number({ description: 'Seconds slower than the fastest car.' }),
  uncertaintySeconds: Type.Number({ description: 'Standard deviation of the estimate, relative to the field.' }),
  rank: Type.Integer({ description: 'Rank by true pace; 1 is the fastest.' }),
  laps: Type.Integer({ description: 'Clean laps of this car behind the estimate.' }),
  latestLap: Nullable(CorrectedLap),
});

export type TruePaceDriver = Type.Static<typeof TruePaceDriver>;

export const TruePacePayload = AnalyticsPayload(
  'analytics.true-pace',
  {
    reports: 'How fast each car is with the effects of fuel, tires and traffic removed.',
    method:
      "a ridge regression on the race's clean laps (under green, not the first lap, not a lap with a stop). Its " +
      'terms are the car, the compound and its wear, the car ahead, and what all cars share on that lap. Fuel is ' +
      "subtracted first, at 0.036 s/kg with 105 kg per race. Each car's latest laps then weigh more, outliers less. " +
      'nextLapsSeconds is that pace on the present tires and fuel, drawn to the mean of the latest three laps by a share ' +
      'that is fitted to the laps of 2018 to 2021.',
    limits:
      'fuel loads are not published. Compounds can be separated only while cars run on different ones at the same ' +
      'time. A car that saves its tires looks slow. In changing weather paces are compared only on the same kind of ' +
      'tires.',
    measured:
      "the truth of nextLapsSeconds is the mean of a car's next three laps, clean and on the same tires. In the 22 Grands " +
      'Prix of 2022, left out of the fit, it was off by 0.419 s, the mean of the latest three laps by 0.437 s; in sprints it ' +
      'was not shown to be better. The parts of a lap have no truth to compare with.',
  },
  {
    session: Type.Object(
      {
        referenceCompound: Nullable(
          Type.String({ description: 'Compound of most recent clean laps; null: not known.' }),
        ),
        lapDeviationSeconds: Type.Number({
          description: 'Standard deviation of single clean laps around a car’s pace.',
        }),
      },
      { ...CLOSED, description: 'Figures for all cars.' },
    ),
    drivers: Type.Array(TruePaceDriver),
  },
);
