// What the wear of tires cost, in tables of laps: how much slower three laps are than those five laps before, all clean and on
// the same tires, with the fuel that was burnt between. Told as the leader begins a lap.

import type { TableRace } from '#bench/laps/lap-tables.ts';
import { fuelSeconds } from '#engine/racing/analytics/fuel.ts';
import type { TireFit } from '#engine/racing/analytics/lap-time-model.ts';
import { TireHealth } from '#engine/racing/analytics/tire-health.ts';
import type { TireHealthDriver } from '#schemas/webhook/analytics-tire-health.ts';
import { cleanMean } from './pace-cases.ts';
import { playRace } from './played-race.ts';

export interface WearCase {
  readonly race: TableRace;
  readonly compound: string;
  /** Seconds a lap: what was lost, and what was told. */
  readonly real: number;
  readonly told: number;
  /** What the laps of all cars say of the compound. */
  readonly fit: TireFit;
}

/** Wear is scored over so many laps. */
export const WEAR_LAPS = 5;

export function wearCases(race: TableRace): WearCase[] {
  const cases: WearCase[] = [];
  const health = new TireHealth();
  playRace(race, (picture, state) => {
    const told = health.emit(picture, state) as { readonly drivers: readonly TireHealthDriver[] } | null;
    for (const driver of told?.drivers ?? []) {
      const { number, compound } = driver;
      const laps = race.cars.get(number)!;
      const from = picture.car(number)!.lapsCompleted + 1;
      const [now, then] = [cleanMean(laps, from), cleanMean(laps, from + WEAR_LAPS)];
      if (now === null || then === null || laps[from - 1]!.stint !== laps[from + WEAR_LAPS + 1]!.stint) continue;
      cases.push({
        race,
        compound,
        real: (then - now + fuelOf(race, from) - fuelOf(race, from + WEAR_LAPS)) / WEAR_LAPS,
        told: driver.degradationSecondsPerLap,
        fit: picture.lapTimes.tire(compound)!,
      });
    }
  });
  return cases;
}

/** At the middle one of three laps. */
function fuelOf({ laps, isSprint }: TableRace, from: number): number {
  return fuelSeconds(from + 1, laps, isSprint);
}
