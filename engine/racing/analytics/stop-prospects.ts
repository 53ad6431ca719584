// When a car may stop next, and how often until the end, from the chances of a stop on each lap to come.

import type { StopHazard } from './stop-hazard.ts';
import { TIRE_KINDS } from './tire-kinds.ts';

/** A stint as it runs. */
export interface RunningStint {
  /** Index in TIRE_KINDS. */
  readonly kind: number;
  readonly ageLaps: number;
  readonly owes: boolean;
  readonly stopsDone: number;
  /** The odds of a stop on the lap that begins. */
  readonly nowOdds: number;
  /** See StopMoment. */
  readonly otherTires: number;
  /** The chance of each kind of the next stint, for a stop with so many laps left after it. */
  nextKinds(lapsLeft: number): readonly number[];
}

export interface StopProspects {
  readonly none: number;
  readonly one: number;
  readonly more: number;
  /** The chance that the next stop is at the end of the lap that begins, of the one after it, and so on. */
  readonly next: Float64Array;
}

const STOPS_TOLD = 4;
/** A kind less likely than this does not change what follows. */
const CHANCE_MIN = 0.005;

export class StopProspecting {
  readonly #hazard: StopHazard;
  readonly #totalLaps: number;
  readonly #survival: Float64Array;

  constructor(hazard: StopHazard, totalLaps: number) {
    this.#hazard = hazard;
    this.#totalLaps = totalLaps;
    this.#survival = new Float64Array(TIRE_KINDS.length * 2 * STOPS_TOLD * (totalLaps + 1)).fill(Number.NaN);
  }

  /** Fills `next`: as many laps as are left, with the one that begins. */
  prospects(stint: RunningStint, next: Float64Array): StopProspects {
    const { kind, ageLaps, owes, stopsDone, nowOdds, otherTires } = stint;
    const hazard = this.#hazard;
    const lapsLeft = next.length;
    const steady = hazard.stintOdds(kind, ageLaps + lapsLeft, owes, stopsDone, otherTires);
    let alive = 1;
    let more = 0;
    for (let laps = 0; laps < lapsLeft; laps++) {
      const left = lapsLeft - laps;
      const odds = laps === 0 ? nowOdds : steady * hazard.lapOdds(kind, ageLaps + laps, left, owes);
      const stop = (alive * odds) / (1 + odds);
      next[laps] = stop;
      alive /= 1 + odds;
      if (left > 1) more += stop * (1 - this.#noMore(stint, left - 1));
    }
    return { none: alive, one: Math.max(0, 1 - alive - more), more, next };
  }

  /** The chance that after a stop with so many laps left the car does not stop again. */
  #noMore(stint: RunningStint, lapsLeft: number): number {
    const kinds = stint.nextKinds(lapsLeft);
    let sum = 0;
    let chances = 0;
    for (let kind = 0; kind < kinds.length; kind++) {
      const chance = kinds[kind]!;
      if (chance < CHANCE_MIN) continue;
      chances += chance;
      sum += chance * this.#survives(kind, lapsLeft, stint.owes && kind === stint.kind, stint.stopsDone + 1);
    }
    return sum / chances;
  }

  /** The chance that new tires stay on to the end. */
  #survives(kind: number, lapsLeft: number, owes: boolean, stopsDone: number): number {
    const stops = Math.min(stopsDone, STOPS_TOLD - 1);
    const index = ((kind * 2 + Number(owes)) * STOPS_TOLD + stops) * (this.#totalLaps + 1) + lapsLeft;
    let alive = this.#survival[index]!;
    if (!Number.isNaN(alive)) return alive;
    const steady = this.#hazard.stintOdds(kind, lapsLeft, owes, stops, 0);
    alive = 1;
    for (let age = 0; age < lapsLeft; age++)
      alive /= 1 + steady * this.#hazard.lapOdds(kind, age, lapsLeft - age, owes);
    this.#survival[index] = alive;
    return alive;
  }
}
