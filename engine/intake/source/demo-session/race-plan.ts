// The plan of the built-in race: grid, tyres, pit stops and incidents, chosen so that many kinds of race event occur.
// The simulation computes what follows from them: times, gaps and overtakes.

import { assert } from '#engine/base/assert.ts';
import type { Random } from '#engine/base/random.ts';
import { LINES_PER_LAP } from './circuit.ts';
import { DEMO_DRIVERS, type DemoDriver } from './grid.ts';

export type Compound = 'SOFT' | 'MEDIUM' | 'HARD';

/** Lap time that a compound loses to a new soft tyre: when new (`lossMs`), and with each lap (`wearMs`). */
export const TYRES: Readonly<Record<Compound, { readonly lossMs: number; readonly wearMs: number }>> = {
  SOFT: { lossMs: 0, wearMs: 150 },
  MEDIUM: { lossMs: 360, wearMs: 75 },
  HARD: { lossMs: 720, wearMs: 35 },
};

export type Incident =
  /** The car spins and continues. */
  | { readonly kind: 'spin'; readonly lostMs: number }
  /** The car stops beside the track, and the safety car comes out. */
  | { readonly kind: 'parked' }
  /** The car drives into its garage at the end of the lap and stays there. */
  | { readonly kind: 'garage' };

export interface Entrant {
  readonly driver: DemoDriver;
  readonly startTyre: Compound;
  readonly stopTyre: Compound;
  /** The car stops at the end of this lap, or earlier behind a safety car. */
  readonly stopLap: number;
  /** An incident in the stretch that ends at `line`. */
  readonly incident: { readonly line: number; readonly incident: Incident } | null;
}

/** The safety car leads the field from the parked car's lap to the end of this lap. */
export const SAFETY_CAR_LAST_LAP = 6;

const INCIDENTS: Readonly<Record<string, { readonly line: number; readonly incident: Incident }>> = {
  47: { line: 2 * LINES_PER_LAP + 9, incident: { kind: 'spin', lostMs: 6_400 } },
  40: { line: 4 * LINES_PER_LAP + 7, incident: { kind: 'parked' } },
  60: { line: 7 * LINES_PER_LAP, incident: { kind: 'garage' } },
  19: { line: 8 * LINES_PER_LAP + 4, incident: { kind: 'spin', lostMs: 2_900 } },
};

/** The entrants in grid order: by qualifying pace with some randomness. */
export function drawGrid(random: Random): Entrant[] {
  const qualifying = DEMO_DRIVERS.map((driver) => ({
    driver,
    lapMs: driver.team.paceMs + driver.paceMs + Math.floor(random.next() * 420),
  }));
  qualifying.sort((a, b) => a.lapMs - b.lapMs || Number(a.driver.number) - Number(b.driver.number));
  const grid = qualifying.map(({ driver }, index): Entrant => {
    const gamble = random.next();
    const startTyre: Compound = index < 10 ? (gamble < 0.7 ? 'SOFT' : 'MEDIUM') : gamble < 0.4 ? 'HARD' : 'MEDIUM';
    const earliest = startTyre === 'SOFT' ? 3 : startTyre === 'MEDIUM' ? 4 : 7;
    const stopLap = earliest + Math.floor(random.next() * 2);
    const stopTyre: Compound = startTyre === 'HARD' ? 'SOFT' : startTyre === 'SOFT' && gamble < 0.3 ? 'HARD' : 'MEDIUM';
    return {
      driver,
      startTyre,
      stopTyre: stopTyre === startTyre ? 'HARD' : stopTyre,
      stopLap,
      incident: INCIDENTS[driver.number] ?? null,
    };
  });
  assert(new Set(grid.map((entrant) => entrant.driver.number)).size === grid.length, 'racing numbers are unique');
  return grid;
}
