// Championship standings of drivers and constructors, and the latest results of drivers.

import type { RaceWeekend } from '#engine/seasons/history/history.ts';
import type { ConstructorForm, DriverForm } from './forecast.ts';
import type { Entrant } from './ratings.ts';

/** Races listed for a driver. */
const LATEST_RACES = 5;

/** Standings after the season's latest race. Empty before the first. */
export interface Standings {
  readonly driverPositions: ReadonlyMap<string, number>;
  readonly driverPoints: ReadonlyMap<string, number>;
  readonly driverWins: ReadonlyMap<string, number>;
  readonly constructorPositions: ReadonlyMap<string, number>;
  readonly constructorPoints: ReadonlyMap<string, number>;
  readonly constructorWins: ReadonlyMap<string, number>;
}

/** `before`: the weekends before the one in question. */
export function standingsBefore(before: readonly RaceWeekend[], season: number): Standings {
  const raced = before.filter((weekend) => weekend.season === season);
  const drivers = raced.findLast(({ driverStandings }) => driverStandings.length > 0)?.driverStandings ?? [];
  const constructors =
    raced.findLast(({ constructorStandings }) => constructorStandings.length > 0)?.constructorStandings ?? [];
  const winners = raced.flatMap(({ results }) =>
    results.filter(({ classification }) => classification.kind === 'classified' && classification.position === 1),
  );
  // A constructor has two entries if it used engines of two manufacturers.
  const constructorPoints = new Map<string, number>();
  const constructorPositions = new Map<string, number>();
  for (const { constructorId, position, points } of constructors) {
    constructorPoints.set(constructorId, (constructorPoints.get(constructorId) ?? 0) + points);
    constructorPositions.set(constructorId, Math.min(constructorPositions.get(constructorId) ?? position, position));
  }
  return {
    driverPositions: new Map(drivers.map(({ driverId, position }) => [driverId, position])),
    driverPoints: new Map(drivers.map(({ driverId, points }) => [driverId, points])),
    driverWins: countsOf(winners.map(({ driverId }) => driverId)),
    constructorPositions,
    constructorPoints,
    constructorWins: countsOf(winners.map(({ constructorId }) => constructorId)),
  };
}

/** Sorted by championship position, then by title chance. */
export function driverForms(
  before: readonly RaceWeekend[],
  { driverPositions, driverPoints }: Standings,
  entrants: readonly Entrant[],
  titles: ReadonlyMap<string, number>,
): DriverForm[] {
  const constructors = new Map(entrants.map(({ driverId, constructorId }) => [driverId, constructorId]));
  return [...titles]
    .map(([driverId, titleProbability]): DriverForm => {
      const raced = before
        .toReversed()
        .flatMap(({ eventId, results }) =>
          results.filter((result) => result.driverId === driverId).map((result) => ({ eventId, ...result })),
        );
      return {
        driverId,
        // A driver with points who is no longer entered: the constructor he last drove for.
        constructorId: constructors.get(driverId) ?? raced[0]?.constructorId ?? 'unknown',
        position: driverPositions.get(driverId) ?? null,
        points: driverPoints.get(driverId) ?? 0,
        titleProbability,
        latest: raced.slice(0, LATEST_RACES).map(({ eventId, classification, points }) => ({
          eventId,
          position: classification.kind === 'classified' ? classification.position : null,
          points,
        })),
      };
    })
    .sort((a, b) => byPlace(a, b) || (a.driverId < b.driverId ? -1 : 1));
}

export function constructorForms(
  { constructorPositions, constructorPoints }: Standings,
  titles: ReadonlyMap<string, number>,
): ConstructorForm[] {
  return [...titles]
    .map(([constructorId, titleProbability]) => ({
      constructorId,
      position: constructorPositions.get(constructorId) ?? null,
      points: constructorPoints.get(constructorId) ?? 0,
      titleProbability,
    }))
    .sort((a, b) => byPlace(a, b) || (a.constructorId < b.constructorId ? -1 : 1));
}

type Placed = Pick<DriverForm, 'position' | 'titleProbability'>;

function byPlace(a: Placed, b: Placed): number {
  const place = ({ position }: Placed): number => position ?? Number.MAX_SAFE_INTEGER;
  return place(a) - place(b) || b.titleProbability - a.titleProbability;
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
