// The chances of each winning margin: those that follow from the race odds, and, the more of the race is to come, those of
// past races with such a gap between the first two cars. Early on the times of the odds spread out too far: leaders save
// their cars, and safety cars take leads away.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { MarginDistribution } from './margin-distribution.ts';
import { MARGIN_SETTINGS, type MarginSettings } from './margin-settings.ts';
import { normalBelow } from './normal-distribution.ts';
import type { Odds } from './odds.ts';

/** Steps of the bisection for a quantile, and the largest margin in seconds that it finds. */
const HALVINGS = 14;
const SECONDS_MAX = 90;

/** Each call of `of` overwrites the chances of the one before. */
export class MarginChances {
  readonly #odds = new MarginDistribution(DRIVERS_MAX);
  readonly #settings: MarginSettings;
  #gapSeconds = 0;
  #lapsLeft = 0;
  #toCome = 0;
  #pastShare = 0;

  constructor(settings: MarginSettings = MARGIN_SETTINGS) {
    this.#settings = settings;
  }

  /** `gapSeconds`: between the first two cars now. */
  of({ standings, scenarios, passSeconds, lapsLeft, fullLaps }: Odds, gapSeconds: number): void {
    const { pastShare, pastPower, passPart } = this.#settings;
    this.#gapSeconds = gapSeconds;
    this.#lapsLeft = lapsLeft;
    this.#toCome = lapsLeft / fullLaps;
    this.#pastShare = Math.min(1, pastShare * this.#toCome ** pastPower);
    if (lapsLeft > 0) this.#odds.compute(standings.length, scenarios, passPart * passSeconds);
  }

  /** The chance that the margin is at most `seconds`. */
  within(seconds: number): number {
    return this.#mixed(seconds, this.#odds.exceeds(seconds));
  }

  /** The quantile of the margin at `chance`, in seconds. `winner`: a place on the road, from 0; null: whoever wins. */
  quantile(chance: number, winner: number | null): number {
    if (this.#lapsLeft === 0) return this.#gapSeconds;
    const wins = winner === null ? 0 : this.#odds.winsByMore(winner, 0);
    let [low, high] = [0, SECONDS_MAX];
    for (let halving = 0; halving < HALVINGS; halving++) {
      const middle = (low + high) / 2;
      const more =
        winner === null || wins === 0 ? this.#odds.exceeds(middle) : this.#odds.winsByMore(winner, middle) / wins;
      if (this.#mixed(middle, more) < chance) low = middle;
      else high = middle;
    }
    return high;
  }

  #mixed(seconds: number, more: number): number {
    if (this.#lapsLeft === 0) return this.#gapSeconds <= seconds ? 1 : 0;
    return (1 - this.#pastShare) * (1 - more) + this.#pastShare * this.#past(seconds);
  }

  #past(seconds: number): number {
    const { level, slope, scatter } = this.#settings;
    const at = ([end, perRace]: readonly [number, number]): number => end + perRace * this.#toCome;
    const mean = at(level) + at(slope) * Math.log1p(this.#gapSeconds);
    const deviation = scatter[0] + scatter[1] * Math.sqrt(this.#toCome);
    return normalBelow((Math.log1p(seconds) - mean) / deviation);
  }
}
