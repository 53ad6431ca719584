// How fast cars drove their next three laps, in tables of laps: all clean and on the same tires as the three before, as the
// leader begins a lap.

import { isGreenLap, isInLap, isOutLap, type TableLap, type TableRace } from '#bench/laps/lap-tables.ts';
import { TruePace } from '#engine/racing/analytics/true-pace.ts';
import type { TruePaceDriver } from '#schemas/webhook/analytics-true-pace.ts';
import { playRace } from './played-race.ts';
import { mean } from './scoring.ts';

export interface PaceCase {
  readonly race: TableRace;
  /** Seconds a lap: the next three, what was told of them, and what the parts of the model add up to. */
  readonly real: number;
  readonly told: number;
  readonly modelled: number;
  /** The latest three. */
  readonly latest: number;
}

export function paceCases(race: TableRace): PaceCase[] {
  const cases: PaceCase[] = [];
  const pace = new TruePace();
  playRace(race, (picture, state) => {
    const told = pace.emit(picture, state) as { readonly drivers: readonly TruePaceDriver[] } | null;
    for (const { number, truePaceSeconds, latestLap, nextLapsSeconds } of told?.drivers ?? []) {
      const laps = race.cars.get(number)!;
      const done = picture.car(number)!.lapsCompleted;
      const [latest, real] = [cleanMean(laps, done - 2), cleanMean(laps, done + 1)];
      if (latest === null || real === null || latestLap === null || nextLapsSeconds === null) continue;
      const modelled = truePaceSeconds + latestLap.fuelSeconds + latestLap.tireSeconds;
      cases.push({ race, real, told: nextLapsSeconds, modelled, latest });
    }
  });
  return cases;
}

/** The mean of three laps from `from` on. Null: one of them does not show the car's pace. */
export function cleanMean(laps: readonly TableLap[], from: number): number | null {
  const three = laps.slice(Math.max(0, from - 1), from + 2);
  const isClean = (lap: TableLap) => lap.seconds !== null && isGreenLap(lap) && !isInLap(lap) && !isOutLap(lap);
  if (from < 2 || three.length < 3 || !three.every(isClean)) return null;
  return mean(three.map(({ seconds }) => seconds!));
}
