// timing.stats: a driver's best lap, sectors and speeds in the session, each with its rank among all drivers.

import Type from 'typebox';
import { DriverEntry } from './driver.ts';
import { Payload } from './envelope.ts';
import { LapTime } from './lap-time.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const RANK = Type.Optional(
  Nullable(Type.Integer({ description: 'Rank of this value among all drivers, from 1; null if it has none.' })),
);

const BestLap = Type.Object(
  {
    time: Type.Optional(Nullable(LapTime)),
    lap: Type.Optional(Nullable(Type.Integer({ description: "The driver's lap on which it was set." }))),
    rank: RANK,
  },
  CLOSED,
);

const BestSector = Type.Object(
  {
    sector: Type.Integer({ description: 'From 1.' }),
    time: Type.Optional(Nullable(LapTime)),
    rank: RANK,
  },
  CLOSED,
);

const BestSpeed = Type.Object(
  {
    kph: Type.Optional(Nullable(Type.Integer({ description: 'Kilometres per hour.' }))),
    rank: RANK,
  },
  CLOSED,
);

const BestSpeeds = Type.Object(
  {
    intermediate1: Type.Optional(BestSpeed),
    intermediate2: Type.Optional(BestSpeed),
    finishLine: Type.Optional(BestSpeed),
    speedTrap: Type.Optional(BestSpeed),
  },
  CLOSED,
);

export const TimingStatsDriver = DriverEntry({
  bestLap: Type.Optional(BestLap),
  bestSectors: Type.Optional(Type.Array(BestSector, { description: 'Sectors with a change.' })),
  bestSpeeds: Type.Optional(BestSpeeds),
});

export type RankedLap = Type.Static<typeof BestLap>;
export type RankedSector = Type.Static<typeof BestSector>;
export type RankedSpeed = Type.Static<typeof BestSpeed>;
export type RankedSpeeds = Type.Static<typeof BestSpeeds>;
export type TimingStatsDriver = Type.Static<typeof TimingStatsDriver>;

export const TimingStatsPayload = Payload('timing.stats', 'Best laps, sectors and speeds of the session.', {
  drivers: Type.Array(TimingStatsDriver),
});
