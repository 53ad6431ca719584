// An invented history with known strengths: five teams of two drivers. The first team is the strongest, and in each
// team the first driver. Three seasons were held, the fourth is planned.

import { type Random, seededRandom } from '#engine/base/random.ts';
import type {
  Classification,
  GridPlace,
  History,
  Participant,
  PitStopRecord,
  QualifyingResult,
  RaceResult,
  RaceWeekend,
  SeasonEntry,
} from '#engine/seasons/history/history.ts';

export const SEASONS = [2018, 2019, 2020, 2021] as const;
export const ROUNDS = 8;
const POINTS = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];
const LAPS = 50;
const LAP_MS = 90_000;

interface InventedDriver extends Participant {
  /** Seconds per lap behind the fastest driver. */
  readonly slowness: number;
}

export const DRIVERS: readonly InventedDriver[] = Array.from({ length: 10 }, (_, index) => ({
  driverId: `driver-${index}`,
  constructorId: `team-${index >> 1}`,
  number: String(index + 1),
  slowness: (index >> 1) * 0.4 + (index & 1) * 0.15,
}));

export function inventedHistory(seed = 1): History {
  const random = seededRandom(seed);
  const weekends: RaceWeekend[] = [];
  for (const season of SEASONS) {
    const points = new Map<string, number>();
    for (let round = 1; round <= ROUNDS; round++) weekends.push(inventedWeekend(season, round, points, random));
  }
  return {
    circuits: new Map(
      weekends.map(({ circuitId }) => [circuitId, { circuitId, name: circuitId.toUpperCase(), type: 'RACE' }]),
    ),
    drivers: new Map(),
    constructors: new Map(),
    entries: SEASONS.flatMap((season) =>
      DRIVERS.map(({ driverId, constructorId }): SeasonEntry => {
        return { season, driverId, constructorId, rounds: [], testDriver: false };
      }),
    ),
    weekends,
  };
}

function inventedWeekend(season: number, round: number, points: Map<string, number>, random: Random): RaceWeekend {
  const held = season !== SEASONS.at(-1);
  const circuitId = `circuit-${round}`;
  const planned: RaceWeekend = {
    eventId: `${season}-${circuitId}`,
    season,
    round,
    name: circuitId,
    circuitId,
    layoutId: `${circuitId}-1`,
    day: `${season}-06-${String(round).padStart(2, '0')}`,
    startUtcMs: null,
    laps: LAPS,
    scheduledLaps: null,
    hasSprint: round === 2,
    practice: [],
    qualifying: [],
    grid: [],
    results: [],
    fastestLaps: [],
    pitStops: [],
    sprintQualifying: [],
    sprintGrid: [],
    sprintResults: [],
    driverStandings: [],
    constructorStandings: [],
  };
  if (!held) return planned;
  const lapMs = ({ slowness }: InventedDriver): number => LAP_MS + 1_000 * (slowness + 0.5 * random.next());
  const qualifying = inOrder(lapMs).map(({ driver, timeMs }, place): QualifyingResult => {
    return { ...participant(driver), classification: classified(place + 1), q1Ms: timeMs, q2Ms: null, q3Ms: null };
  });
  const retired = new Set(DRIVERS.filter(() => random.next() < 0.15));
  const finished = inOrder((driver) => LAPS * lapMs(driver)).filter(({ driver }) => !retired.has(driver));
  const results = [
    ...finished.map(({ driver, timeMs }, place): RaceResult => {
      return { ...race(driver), classification: classified(place + 1), timeMs, points: POINTS[place]! };
    }),
    ...[...retired].map((driver): RaceResult => {
      return { ...race(driver), classification: { kind: 'not_classified', reason: 'DNF' }, reasonRetired: 'Engine' };
    }),
  ];
  for (const { driverId, points: earned } of results) points.set(driverId, (points.get(driverId) ?? 0) + earned);
  const standings = [...points].sort(([a, pointsA], [b, pointsB]) => pointsB - pointsA || (a < b ? -1 : 1));
  const teams = Map.groupBy(DRIVERS, ({ constructorId }) => constructorId);
  const teamPoints = [...teams].map(([constructorId, drivers]) => {
    return { constructorId, points: drivers.reduce((sum, { driverId }) => sum + (points.get(driverId) ?? 0), 0) };
  });
  return {
    ...planned,
    qualifying,
    grid: qualifying.map((result, index): GridPlace => ({ ...participant(result), position: index + 1 })),
    results,
    fastestLaps: finished.map(({ driver, timeMs }, index) => {
      return { ...participant(driver), rank: index + 1, lap: LAPS, timeMs: timeMs / LAPS };
    }),
    pitStops: finished.map(({ driver }, index): PitStopRecord => {
      return { ...participant(driver), stop: 1, lap: 20 + index, timeMs: 22_000 + 100 * index };
    }),
    driverStandings: standings.map(([driverId, earned], index) => ({ driverId, position: index + 1, points: earned })),
    constructorStandings: teamPoints
      .sort((a, b) => b.points - a.points)
      .map((team, index) => ({ ...team, engineManufacturerId: 'engine', position: index + 1 })),
  };
}

function inOrder(timeMsOf: (driver: InventedDriver) => number): { driver: InventedDriver; timeMs: number }[] {
  return DRIVERS.map((driver) => ({ driver, timeMs: timeMsOf(driver) })).sort((a, b) => a.timeMs - b.timeMs);
}

function participant({ driverId, constructorId, number }: Participant): Participant {
  return { driverId, constructorId, number };
}

function race(driver: InventedDriver): Omit<RaceResult, 'classification'> {
  return {
    ...participant(driver),
    laps: LAPS,
    timeMs: null,
    gapMs: null,
    gapLaps: null,
    reasonRetired: null,
    points: 0,
  };
}

function classified(position: number): Classification {
  return { kind: 'classified', position };
}
