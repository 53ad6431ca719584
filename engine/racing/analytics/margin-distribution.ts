// The distribution of the winning margin: how far the second car is behind the winner, when each car's time is an
// independent normal value. It is computed without random draws, from the times of the race odds.
//
// Given the winner's time, the margin exceeds m if every other car is later by more than m, or has retired. This is
// averaged over a grid of the winner's times and over the scenarios. The odds charge a car the time that passing the cars
// ahead would take; a car that never passes does not lose it, so it is taken off again: a faster car that cannot pass
// ends right behind the winner.

import { normalDensity } from './normal-distribution.ts';
import type { NormalTimes } from './normal-times.ts';

/** One way in which the race may continue. The chances sum to one. */
export interface MarginScenario {
  readonly chance: number;
  /** By place on the road. */
  readonly retirement: Float64Array;
  readonly times: NormalTimes;
}

/** Margins in seconds between which chances are interpolated. */
const MARGINS = [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 65, 90] as const;
/** A car that cannot pass stays within this many seconds. */
const FOLLOWS_SECONDS = 2;
/** Grid points over the winner's time, and their reach in standard deviations. */
const NODES = 15;
const REACH = 3;
/** A chance this small is left out. */
const NEGLIGIBLE = 1e-4;
const WEIGHTS = nodeWeights();

export class MarginDistribution {
  /** By winner and margin: the chance that the car wins by more. */
  readonly #byMore: Float64Array;
  #cars = 0;
  /** The chance that any car wins. */
  #any = 0;

  constructor(carsMax: number) {
    this.#byMore = new Float64Array(carsMax * MARGINS.length);
  }

  /** `passSeconds`: what is taken off a car that never passes, for each car between it and the winner. */
  compute(cars: number, scenarios: readonly MarginScenario[], passSeconds: number): void {
    this.#cars = cars;
    this.#byMore.fill(0, 0, cars * MARGINS.length);
    for (const scenario of scenarios) {
      if (scenario.chance <= 0) continue;
      for (let car = 0; car < cars; car++) this.#add(scenario, car, passSeconds);
    }
    this.#any = 0;
    for (let car = 0; car < cars; car++) this.#any += this.#byMore[car * MARGINS.length]!;
  }

  /** The chance that the car at that place on the road, from 0, wins by more than `seconds`. Other cars are not counted. */
  winsByMore(car: number, seconds: number): number {
    const index = marginFrom(seconds);
    const share = shareBeyond(index, seconds);
    const at = car * MARGINS.length + index;
    return this.#byMore[at - 1]! * (1 - share) + this.#byMore[at]! * share;
  }

  /** The chance that the margin is more than `seconds`, whoever wins. */
  exceeds(seconds: number): number {
    const byMore = this.#byMore;
    const index = marginFrom(seconds);
    const share = shareBeyond(index, seconds);
    let more = 0;
    for (let at = index; at < this.#cars * MARGINS.length; at += MARGINS.length) {
      more += byMore[at - 1]! * (1 - share) + byMore[at]! * share;
    }
    return this.#any > 0 ? more / this.#any : 0;
  }

  #add({ chance, retirement, times }: MarginScenario, car: number, passSeconds: number): void {
    const row = car * MARGINS.length;
    for (let node = 0; node < NODES; node++) {
      const time = times.meanSeconds[car]! + nodeAt(node) * times.deviationSeconds[car]!;
      const weight = chance * (1 - retirement[car]!) * WEIGHTS[node]!;
      for (let index = 0; index < MARGINS.length; index++) {
        const margin = MARGINS[index]!;
        const free = passSeconds * Math.min(1, margin / FOLLOWS_SECONDS);
        let all = weight;
        for (let other = 0; other < this.#cars && all > NEGLIGIBLE * chance; other++) {
          if (other === car) continue;
          const by = time + margin + Math.max(0, other - car) * free;
          const retires = retirement[other]!;
          all *= retires + (1 - retires) * (1 - times.chanceBefore(other, by, other < car));
        }
        if (all <= NEGLIGIBLE * chance) break;
        this.#byMore[row + index]! += all;
      }
    }
  }
}

/** The index of the first of MARGINS, from the second on, that is not less than `seconds`. */
function marginFrom(seconds: number): number {
  let index = 1;
  while (index < MARGINS.length - 1 && MARGINS[index]! < seconds) index++;
  return index;
}

/** How far `seconds` is from the margin before that index to the one there. */
function shareBeyond(index: number, seconds: number): number {
  const from = MARGINS[index - 1]!;
  return Math.min(1, Math.max(0, (seconds - from) / (MARGINS[index]! - from)));
}

function nodeAt(node: number): number {
  return REACH * ((2 * node) / (NODES - 1) - 1);
}

function nodeWeights(): Float64Array {
  const weights = Float64Array.from({ length: NODES }, (_, node) => normalDensity(nodeAt(node)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
