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

  fillWeights(driver: number, weights: Float64Array): void {
    const chances = [this.#chances[0][driver]!, this.#chances[1][driver]!] as const;
    weights[0] = (1 - chances[0]) * (1 - chances[1]);
    for (const which of [0, 1] as const) {
      const rest = which === 0 ? 1 : 0;
      const laps = this.#laps[which];
      for (let lapNode = 0, node = 1 + which * laps.nodes; lapNode < laps.nodes; lapNode++, node++) {
        if (chances[which] === 0) weights[node] = 0;
        else {
          const faster = chanceToEnd(this.#chances[rest], this.#laps[rest], driver, laps.time(driver, lapNode));
          weights[node] = chances[which] * laps.weight(lapNode) * (1 - faster);
        }
      }
    }
  }

  fillChancesBefore(driver: number, node: number, drivers: number, chances: Float64Array): void {
    this.#fillBefore(this.time(driver, node), driver, drivers, chances);
  }

  /** Writes the chance of each driver that his time is at most `seconds`. */
  fillChancesOf(seconds: number, drivers: number, chances: Float64Array): void {
    this.#fillBefore(seconds, drivers, drivers, chances);
  }

  /** Of drivers whose time is certain, those before `ahead` win a tie. */
  #fillBefore(time: number, ahead: number, drivers: number, chances: Float64Array): void {
    const [underWay, further] = this.#laps;
    const [underWayChances, furtherChances] = this.#chances;
    const best = this.#best;
    for (let driver = 0; driver < drivers; driver++) {
      const stands = best[driver]!;
      if (stands < time || (stands === time && driver < ahead)) {
        chances[driver] = 1;
        continue;
      }
      const one = chanceToEnd(underWayChances, underWay, driver, time);
      const other = chanceToEnd(furtherChances, further, driver, time);
      chances[driver] = 1 - (1 - one) * (1 - other);
    }
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

/** The chance that he ends the lap in less than `time`. */
function chanceToEnd(chances: Float64Array, laps: NormalTimes, driver: number, time: number): number {
  const chance = chances[driver]!;
  if (chance === 0) return 0;
  return chance * normalBelow((time - laps.meanSeconds[driver]!) / laps.deviationSeconds[driver]!);
}
