// Final lap times of one part of qualifying. A driver keeps his best time unless he sets a faster one: with some chance
// he ends the lap under way, and with some chance a further one. Their times are normally distributed.

import { normalBelow } from './normal-distribution.ts';
import { NormalTimes } from './normal-times.ts';
import type { Times } from './position-distribution.ts';

/** Stands in for a missing time. It puts drivers without a time last, in their current order. */
const NO_TIME_SECONDS = 1e6;

/** A lap that a driver may end. */
export interface ComingLap {
  /** The chance that he does, faster or not. */
  readonly chance: number;
  readonly meanSeconds: number;
  readonly deviationSeconds: number;
}

export interface ComingLaps {
  /** Null: no time yet. */
  readonly bestSeconds: number | null;
  /** The lap under way, if its pace is known, and a further one. */
  readonly laps: readonly [ComingLap, ComingLap];
}

export class QualifyingTimes implements Times {
  readonly nodes: number;
  /** The nodes of the shortest and longest times. */
  readonly ends: readonly number[];
  readonly #laps: readonly [NormalTimes, NormalTimes];
  readonly #best: Float64Array;
  readonly #chances: readonly [Float64Array, Float64Array];

  /** `lapNodes`: grid points for a lap. */
  constructor(driversMax: number, lapNodes?: number) {
    this.#laps = [new NormalTimes(driversMax, lapNodes), new NormalTimes(driversMax, lapNodes)];
    this.#best = new Float64Array(driversMax);
    this.#chances = [new Float64Array(driversMax), new Float64Array(driversMax)];
    const ofLap = this.#laps[0].nodes;
    this.nodes = 2 * ofLap + 1;
    this.ends = [1, ofLap, ofLap + 1, 2 * ofLap];
  }

  set(driver: number, { bestSeconds, laps }: ComingLaps): void {
    this.#best[driver] = bestSeconds ?? NO_TIME_SECONDS + driver;
    for (const which of [0, 1] as const) {
      const { chance, meanSeconds, deviationSeconds } = laps[which];
      this.#chances[which][driver] = chance;
      this.#laps[which].meanSeconds[driver] = meanSeconds;
      this.#laps[which].deviationSeconds[driver] = deviationSeconds;
    }
  }

  /** Node 0 stands for no lap to come. Then come nodes in which the lap under way is the fastest, then the further one. */
  time(driver: number, node: number): number {
    const best = this.#best[driver]!;
    return node === 0 ? best : Math.min(best, this.#lapTime(driver, node));
  }

  weight(driver: number, node: number): number {
    const [underWay, further] = [this.#chances[0][driver]!, this.#chances[1][driver]!];
    if (node === 0) return (1 - underWay) * (1 - further);
    const which = this.#which(node);
    const chance = which === 0 ? underWay : further;
    if (chance === 0) return 0;
    const other = this.#faster(driver, which === 0 ? 1 : 0, this.#lapTime(driver, node));
    return chance * this.#laps[which].weight(driver, this.#lapNode(node)) * (1 - other);
  }

  chanceBefore(driver: number, time: number, isAhead: boolean): number {
    const best = this.#best[driver]!;
    if (best < time || (best === time && isAhead)) return 1;
    return 1 - (1 - this.#faster(driver, 0, time)) * (1 - this.#faster(driver, 1, time));
  }

  /** The chance that he ends this lap in less than `time`. */
  #faster(driver: number, which: 0 | 1, time: number): number {
    const chance = this.#chances[which][driver]!;
    if (chance === 0) return 0;
    const { meanSeconds, deviationSeconds } = this.#laps[which];
    return chance * normalBelow((time - meanSeconds[driver]!) / deviationSeconds[driver]!);
  }

  #which(node: number): 0 | 1 {
    return node <= this.#laps[0].nodes ? 0 : 1;
  }

  #lapNode(node: number): number {
    return (node - 1) % this.#laps[0].nodes;
  }

  #lapTime(driver: number, node: number): number {
    return this.#laps[this.#which(node)].time(driver, this.#lapNode(node));
  }
}
