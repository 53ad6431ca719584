// Times of a part of qualifying, when each driver keeps the best that he has unless a further lap is faster: with some chance he
// gets one, and its time is a normal value.

import { normalBelow } from './normal-distribution.ts';
import { NormalTimes } from './normal-times.ts';
import type { Times } from './position-distribution.ts';

/** Whoever has no time and gets none comes last, in the present order. */
const NO_TIME_SECONDS = 1e6;

export interface NextLap {
  /** Null: no time yet. */
  readonly bestSeconds: number | null;
  /** That he gets another lap in, faster or not. */
  readonly chance: number;
  readonly meanSeconds: number;
  readonly deviationSeconds: number;
}

export class QualifyingTimes implements Times {
  readonly nodes: number;
  readonly #laps: NormalTimes;
  readonly #best: Float64Array;
  readonly #chance: Float64Array;

  constructor(driversMax: number) {
    this.#laps = new NormalTimes(driversMax);
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

  /** The first node is that no lap comes. */
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
