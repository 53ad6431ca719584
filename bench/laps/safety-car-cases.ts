// Laps on which a real safety car could come out, and whether it did: those of the leader that did not begin behind one or
// under a red flag. A lap is long, so what a case knows is from the laps before it.

import type { TableRace } from './lap-tables.ts';

export interface SafetyCarCase {
  readonly race: TableRace;
  readonly lap: number;
  /** Whether a car stopped on the latest two laps. */
  readonly standingCar: boolean;
  /** Whether a yellow flag was out on the lap before. */
  readonly yellowFlag: boolean;
  /** Share of the cars that still race. */
  readonly running: number;
  readonly deployed: boolean;
}

const STANDING_LAPS = 2;

export function safetyCarCases(race: TableRace): SafetyCarCase[] {
  const statuses: string[] = [];
  const cars: number[] = [];
  for (let lap = 1; lap <= race.laps; lap++) {
    const driven = Array.from(race.cars.values(), (laps) => laps[lap - 1]).filter((one) => one !== undefined);
    statuses.push(driven.find(({ position }) => position === 1)?.trackStatus ?? '1');
    cars.push(driven.length);
  }
  return statuses.flatMap((status, index): SafetyCarCase[] => {
    const before = statuses[index - 1] ?? '1';
    if (/[45]/.test(before)) return [];
    const lately = cars[Math.max(0, index - 1 - STANDING_LAPS)]!;
    return [
      {
        race,
        lap: index + 1,
        standingCar: index > 1 && lately > cars[index - 1]!,
        yellowFlag: before.includes('2'),
        running: index === 0 ? 1 : cars[index - 1]! / race.cars.size,
        deployed: status.includes('4'),
      },
    ];
  });
}
