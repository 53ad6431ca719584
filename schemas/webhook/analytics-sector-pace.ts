// analytics.sector-pace: how fast each car is in each sector.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';

const SectorPaceSector = Type.Object(
  {
    sector: Type.Integer({ minimum: 1, maximum: 3, description: 'Number of the sector.' }),
    paceSeconds: Type.Number({ description: 'Median time of the sector, in seconds: what the next laps should take.' }),
    gapToBestSeconds: Type.Number({ description: 'Seconds slower than the car that is fastest in this sector.' }),
    rank: Type.Integer({ description: 'Rank in this sector; 1 is the fastest.' }),
  },
  { additionalProperties: false },
);

export const SectorPaceDriver = DriverEntry({
  laps: Type.Integer({ description: 'Clean laps behind the pace, at most three.' }),
  sectors: Type.Array(SectorPaceSector, { description: 'The three sectors, in order.' }),
});

export type SectorPaceDriver = Type.Static<typeof SectorPaceDriver>;

export const SectorPacePayload = AnalyticsPayload(
  'analytics.sector-pace',
  {
    reports: 'How fast each car is in each sector, and where it loses time.',
    method:
      'the median of the latest three clean laps on the present tires (under green, not the first lap, not a lap with a ' +
      'stop), of the latest six. Sectors count if they add up to the lap.',
    limits:
      'nothing is corrected for fuel, tires and traffic; analytics.true-pace does that for whole laps. Cars without such a lap ' +
      'are left out. It is silent as long as a car in the race is on rain tires: in changing weather the latest laps are no guide to the next.',
    measured:
      'the truth is the mean of the next three laps in the sector. In Baku 2018 the pace was off by 0.293 s, the latest lap by 0.305 s; ' +
      'in the São Paulo sprint of 2025 by 0.232 s and 0.257 s. Two races are too few to show that it is better. In the drying Miami ' +
      'sprint of 2025, where it is silent, it would have been off by 3.521 s, the latest lap by 2.415 s.',
  },
  { drivers: Type.Array(SectorPaceDriver) },
);
