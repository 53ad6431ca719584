// Outcomes of invented races.

import type { CarOutcome, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

export function car(number: string, given: Partial<CarOutcome> = {}): CarOutcome {
  return {
    number,
    driver: `driver-${number}`,
    name: `Driver ${number}`,
    tla: null,
    team: null,
    constructorId: null,
    position: Number(number),
    gridPlace: null,
    lapsCompleted: 50,
    out: false,
    reachedQ3: false,
    ...given,
  };
}

export const outcomeWith = (...cars: readonly CarOutcome[]): SessionOutcome => ({
  phase: 'finished',
  currentLap: 50,
  totalLaps: 50,
  cars,
  fastestLap: null,
  stops: [],
});
