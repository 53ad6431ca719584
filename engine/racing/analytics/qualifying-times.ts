// Final lap times of one part of qualifying. A driver keeps his best time unless he sets a faster one: with some chance
// he completes another lap, whose time is normally distributed.

import { normalBelow } from './normal-distribution.ts';
import { NormalTimes } from './normal-times.ts';
import type { Times } from './position-distribution.ts';

/** Stands in for a missing time. It puts drivers without a time last, in their current order. */
const NO_TIME_SECONDS = 1e6;
export interface NextLap {
  /** Null: no time yet. */
  readonly bestSeconds: number | null;
  /** The chance that he completes another lap, faster or not. */
  readonly chance: number;
  readonly meanSeconds: number;
  readonly deviationSeconds: number;
}

export class QualifyingTimes implements Times {
  readonly nodes: number;
  readonly #laps: NormalTimes;
  readonly #best: Float64Array;
  readonly #chance: Float64Array;

  /** `lapNodes`: grid points for a lap. */
  constructor(driversMax: number, lapNodes?: number) {
    this.#laps = new NormalTimes(driversMax, lapNodes);
    this.#best = new Float64Array(driversMax);
    this.#chance = new Float64Array(driversMax);
    this.nodes = this.#laps.nodes + 1;
  }

  set(driver: number, { bestSeconds, chance, meanSeconds, deviationSeconds }: NextLap): void {
    this.#best[driver] = bestSeconds ?? NO_TIME_SECONDS + driver;
    this.#chance[driver] = chance;
    this.#laps.meanSeconds[driver] = meanSeconds;
    this.#laps.deviationSeconds[driver] = deviationSeconds;
  }

  /** Node 0 stands for no further lap. */
  time(driver: number, node: number): number {
    const best = this.#best[driver]!;
    return node === 0 ? best : Math.min(best, this.#laps.time(driver, node - 1));
  }

  weight(driver: number, node: number): number {
    const chance = this.#chance[driver]!;
    return node === 0 ? 1 - chance : chance * this.#laps.weight(driver, node - 1);
  }

  chanceBefore(driver: number, time: number, isAhead: boolean): number {
    const best = this.#best[driver]!;
    if (best < time || (best === time && isAhead)) return 1;
    const early = time - this.#laps.meanSeconds[driver]!;
    return this.#chance[driver]! * normalBelow(early / this.#laps.deviationSeconds[driver]!);
  }
}
