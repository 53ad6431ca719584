// Simulates the built-in race, line by line. Every car's time at every timing line follows from its pace, tyres, fuel,
// traffic and the safety car, so positions, gaps and lap times always agree. All arithmetic is in whole milliseconds,
// so the race is the same on every machine (I7).
//
// The simulation always plans the car that reaches its next line first. The cars ahead of it on the road are then
// planned already. A car that would catch the one ahead stays behind it, or overtakes where that is possible.

import { assert } from '#engine/base/assert.ts';
import type { Random } from '#engine/base/random.ts';
import {
  BASE_LAP_MS,
  isPassingStretch,
  LAST_LINE,
  LINES_PER_LAP,
  lapOf,
  PIT_ENTRY_STRETCH,
  PIT_LANE_LOSS_MS,
  RACE_LAPS,
  stretchMs,
  stretchOf,
} from './circuit.ts';
import { type Compound, type Entrant, SAFETY_CAR_LAST_LAP, TYRES } from './race-plan.ts';

/** An event of the race. `atMs` counts from the lights going out. `car` is the place on the grid, from 0. */
export type SimulatedEvent =
  | { readonly kind: 'crossing'; readonly atMs: number; readonly car: number; readonly line: number }
  | { readonly kind: 'pit_in'; readonly atMs: number; readonly car: number }
  | { readonly kind: 'pit_out'; readonly atMs: number; readonly car: number; readonly tyre: Compound }
  | {
      readonly kind: 'spin';
      readonly atMs: number;
      readonly car: number;
      readonly line: number;
      readonly lostMs: number;
    }
  | { readonly kind: 'parked'; readonly atMs: number; readonly car: number; readonly line: number }
  | { readonly kind: 'garage'; readonly atMs: number; readonly car: number }
  | { readonly kind: 'safety_car'; readonly atMs: number; readonly phase: 'deployed' | 'in_this_lap' | 'gone' }
  | { readonly kind: 'chequered'; readonly atMs: number };

interface Car {
  readonly index: number;
  readonly entrant: Entrant;
  line: number;
  atMs: number;
  nextAtMs: number;
  lapMs: number;
  tyre: Compound;
  tyreLaps: number;
  /** 0 before the pit stop, 1 after it. */
  stops: number;
  state: 'track' | 'pit' | 'off_line' | 'out';
}

const SAFETY_CAR_DELAY_MS = 11_000;
const FUEL_MS_PER_LAP = 36;
const STANDING_START_MS = 2_600;

export function simulateRace(grid: readonly Entrant[], random: Random): SimulatedEvent[] {
  const events: SimulatedEvent[] = [];
  const teamBoxFreeMs = new Map<string, number>();
  let safetyCar: 'none' | 'called' | 'out' | 'gone' = 'none';
  let safetyCarFromMs = 0;
  let chequered = false;
  let leaderLine = 0;
  const between = (low: number, high: number): number => low + Math.floor(random.next() * (high - low));

  const cars = grid.map((entrant, index): Car => {
    const startMs = 220 + index * 190 + between(0, 420);
    const car: Car = {
      index,
      entrant,
      line: 0,
      atMs: startMs,
      nextAtMs: 0,
      lapMs: 0,
      tyre: entrant.startTyre,
      tyreLaps: 0,
      stops: 0,
      state: 'track',
    };
    car.lapMs = nextLapMs(car);
    car.nextAtMs = startMs + STANDING_START_MS + stretchMs(1, car.lapMs) + between(0, 900);
    return car;
  });

  function nextLapMs(car: Car): number {
    const { driver } = car.entrant;
    const tyre = TYRES[car.tyre];
    const fuelMs = (RACE_LAPS - lapOf(car.line + 1)) * FUEL_MS_PER_LAP;
    const luckMs = between(-160, 160) + between(-160, 160) + between(-160, 160);
    return (
      BASE_LAP_MS + driver.team.paceMs + driver.paceMs + tyre.lossMs + tyre.wearMs * car.tyreLaps + fuelMs + luckMs
    );
  }

  /** Whether the car stops for tyres at the end of this lap. */
  function stopsAfter(car: Car, lap: number): boolean {
    if (car.stops > 0 || lap >= RACE_LAPS - 1) return false;
    return lap >= car.entrant.stopLap || (safetyCar === 'out' && lap >= 5 && car.entrant.startTyre !== 'HARD');
  }

  function planPitEntry(car: Car, line: number): void {
    car.state = 'pit';
    const stretch = stretchMs(line, car.lapMs);
    events.push({ kind: 'pit_in', atMs: car.atMs + Math.floor(stretch / 2), car: car.index });
    car.nextAtMs = car.atMs + stretch + 3_000;
  }

  function planPitExit(car: Car, line: number): void {
    const arrivedMs = car.atMs + 4_000;
    const servedFromMs = Math.max(arrivedMs, teamBoxFreeMs.get(car.entrant.driver.team.name) ?? 0);
    car.state = 'off_line';
    const releasedMs = servedFromMs + between(2_050, 3_700);
    teamBoxFreeMs.set(car.entrant.driver.team.name, releasedMs + 1_200);
    car.stops++;
    car.tyre = car.entrant.stopTyre;
    car.tyreLaps = 0;
    car.lapMs = nextLapMs(car);
    const stretch = stretchMs(line, car.lapMs);
    car.nextAtMs = releasedMs - 4_000 + stretch + PIT_LANE_LOSS_MS - 3_000;
    const outMs = Math.max(releasedMs + 1_000, car.nextAtMs - Math.floor(stretch / 2));
    assert(outMs < car.nextAtMs, 'a car leaves the pit lane before the next line');
    events.push({ kind: 'pit_out', atMs: outMs, car: car.index, tyre: car.tyre });
  }

  /** The other cars between the same two lines, the last of them first. */
  function carsAhead(car: Car): Car[] {
    const ahead = cars.filter((other) => other !== car && other.state === 'track' && other.line === car.line);
    return ahead.sort((a, b) => b.nextAtMs - a.nextAtMs);
  }

  function planTrack(car: Car, line: number): void {
    const underSafetyCar =
      safetyCar === 'out' && car.atMs >= safetyCarFromMs && line <= SAFETY_CAR_LAST_LAP * LINES_PER_LAP;
    const stretch = stretchMs(line, car.lapMs);
    const [ahead, secondAhead] = carsAhead(car);
    if (underSafetyCar) {
      const leads = car.line >= leaderLine && ahead === undefined;
      const slowed = Math.floor((stretch * (leads ? 158 : 118)) / 100);
      const held = ahead === undefined ? 0 : ahead.nextAtMs + between(620, 980);
      car.nextAtMs = Math.max(car.atMs + slowed, held);
      return;
    }
    const freeMs = car.atMs + stretch + between(-30, 31);
    if (ahead === undefined || freeMs > ahead.nextAtMs + 300) {
      car.nextAtMs = freeMs;
      return;
    }
    const heldMs = Math.max(freeMs, ahead.nextAtMs + between(260, 520));
    const advantageMs = ahead.lapMs - car.lapMs;
    const chance = Math.min(0.7, 0.08 + Math.max(0, advantageMs) / 650);
    const tryIt = isPassingStretch(line) && safetyCar !== 'called' && random.next() < chance;
    const passedMs = Math.max(
      ahead.nextAtMs - between(120, 340),
      car.atMs + Math.floor((stretch * 88) / 100),
      secondAhead === undefined ? 0 : secondAhead.nextAtMs + 120,
    );
    car.nextAtMs = tryIt && passedMs < ahead.nextAtMs - 60 ? passedMs : heldMs;
  }

  function plan(car: Car): void {
    const line = car.line + 1;
    if (car.state === 'pit') {
      planPitExit(car, line);
      return;
    }
    car.state = 'track';
    const due = car.entrant.incident?.line === line ? car.entrant.incident.incident : null;
    if (due?.kind === 'parked') {
      car.state = 'out';
      const atMs = car.atMs + 2_500;
      events.push({ kind: 'parked', atMs, car: car.index, line });
      safetyCar = 'called';
      safetyCarFromMs = atMs + SAFETY_CAR_DELAY_MS;
    } else if (due?.kind === 'garage') {
      planPitEntry(car, line);
      car.state = 'out';
      events.push({ kind: 'garage', atMs: car.nextAtMs + 24_000, car: car.index });
    } else if (due?.kind === 'spin') {
      car.state = 'off_line';
      car.nextAtMs = car.atMs + stretchMs(line, car.lapMs) + due.lostMs;
      events.push({ kind: 'spin', atMs: car.atMs + 1_200, car: car.index, line, lostMs: due.lostMs });
    } else if (stretchOf(line) === PIT_ENTRY_STRETCH && stopsAfter(car, lapOf(line))) {
      planPitEntry(car, line);
    } else planTrack(car, line);
  }

  function cross(car: Car): void {
    car.line++;
    car.atMs = car.nextAtMs;
    events.push({ kind: 'crossing', atMs: car.atMs, car: car.index, line: car.line });
    if (safetyCar === 'called' && car.atMs >= safetyCarFromMs) {
      safetyCar = 'out';
      events.push({ kind: 'safety_car', atMs: safetyCarFromMs, phase: 'deployed' });
    }
    if (car.line > leaderLine) {
      leaderLine = car.line;
      leadLine(car.atMs);
    }
    const lapDone = car.line % LINES_PER_LAP === 0;
    if (lapDone) {
      car.tyreLaps++;
      if (car.state !== 'pit') car.lapMs = nextLapMs(car);
    }
    if (lapDone && chequered) car.state = 'out';
    else plan(car);
  }

  /** Events that happen when the leader reaches a line. */
  function leadLine(atMs: number): void {
    if (safetyCar === 'out' && leaderLine === SAFETY_CAR_LAST_LAP * LINES_PER_LAP - 10) {
      events.push({ kind: 'safety_car', atMs: atMs + 400, phase: 'in_this_lap' });
    }
    if (safetyCar === 'out' && leaderLine === SAFETY_CAR_LAST_LAP * LINES_PER_LAP) {
      safetyCar = 'gone';
      events.push({ kind: 'safety_car', atMs, phase: 'gone' });
    }
    if (leaderLine === LAST_LINE) {
      chequered = true;
      events.push({ kind: 'chequered', atMs: atMs + 250 });
    }
  }

  for (;;) {
    let next: Car | null = null;
    for (const car of cars) if (car.state !== 'out' && (next === null || car.nextAtMs < next.nextAtMs)) next = car;
    if (next === null) break;
    cross(next);
  }
  return events.sort((a, b) => a.atMs - b.atMs);
}
