// analytics.true-pace: how fast each car is with fuel, tires and traffic taken out. .

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const CorrectedLap = Type.Object(
  {
    lap: Type.Integer({ description: 'Lap of the race, from 1.' }),
    lapSeconds: Type.Number({ description: 'As timed.' }),
    fuelSeconds: Type.Number({ description: 'What the fuel on board cost, against an empty tank.' }),
    tireSeconds: Type.Number({ description: 'What the tires cost, against new ones of the reference compound.' }),
    trafficSeconds: Type.Number({ description: 'What the car ahead cost; less than 0: its tow gave more.' }),
  },
  { ...CLOSED, description: 'The latest clean lap, with what was taken off it; null: none of late.' },
);

export const TruePaceDriver = DriverEntry({
  truePaceSeconds: Type.Number({
    description: 'A lap now with an empty tank, new tires of the reference compound and nobody ahead.',
  }),
  offsetSeconds: Type.Number({ description: 'What that is more than of the fastest car.' }),
  uncertaintySeconds: Type.Number({ description: 'Standard deviation of the estimate, against the field.' }),
  rank: Type.Integer({ description: 'From 1, the fastest.' }),
  laps: Type.Integer({ description: 'Clean laps of this car that it is drawn from.' }),
  latestLap: Nullable(CorrectedLap),
});

export type TruePaceDriver = Type.Static<typeof TruePaceDriver>;

export const TruePacePayload = AnalyticsPayload(
  'analytics.true-pace',
  {
    tells: 'How fast each car is with fuel, tires and traffic taken out.',
    method:
      "a ridge regression on the race's clean laps (green, neither the first nor one with a stop), with a car, a " +
      'compound, its wear, the car ahead, and what all cars share on that lap; fuel is taken off before at 0.036 ' +
      "s/kg, 105 kg a race. Each car's latest laps then weigh more, outliers less.",
    limits:
      'cars start with a fuel load that nobody tells; compounds are told apart only as far as cars run on different ' +
      'ones at the same time; a car that saves its tires looks slow. In changing weather paces are compared on the ' +
      'same kind of tires only.',
    measured: 'not at all; the timing tells no true pace to hold it against.',
  },
  {
    session: Type.Object(
      {
        referenceCompound: Nullable(
          Type.String({ description: 'Compound of most clean laps of late; null: not told.' }),
        ),
        lapDeviationSeconds: Type.Number({
          description: 'Standard deviation of single clean laps around a car’s pace.',
        }),
      },
      { ...CLOSED, description: 'What holds for all cars.' },
    ),
    drivers: Type.Array(TruePaceDriver),
  },
);
