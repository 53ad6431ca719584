// How a race may end, as odds: the distribution over positions of the cars that still race.
//
// A car's remaining time is its gap, its pace over the laps that are left, its stops to come, and a time for each car in front
// that it would have to pass on the track: passing is what makes an order last. Its deviation grows with the laps left (pace that
// is not known) and with their root (laps that scatter). With some chance a safety car comes: gaps close up, half of the way
// is left to race, and stops cost less; behind one that is out, and under a red flag, they do so at once. With some chance a car retires. See race-field.ts for where the figures are from.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { NormalTimes } from './normal-times.ts';
import { LAP_DEVIATION_SECONDS, PASS_SECONDS } from './passing.ts';
import { PositionDistribution, type Scenario } from './position-distribution.ts';
import type { Standing } from './race-car.ts';
import { type RaceField, raceField } from './race-field.ts';
import type { RacePicture } from './race-picture.ts';
import { NO_REASONS, runningFraction, safetyCarChance, safetyCarHazard } from './safety-car-hazard.ts';

/** How a car's pace changes against the others' in the rest of a race, with other tires and a drying or warming track; an assumption. */
const PACE_CHANGE_SECONDS = 0.15;
/** Time that a stop costs: in the pit lane it took 23.9 s in the median of 2014 to 2021 (f1db); the way past it takes about 3 s. */
const STOP_SECONDS = 21;
const STOP_DEVIATION_SECONDS = 3;
/** Behind a safety car: gap from car to car, and what a stop costs of its usual time; what luck with it is worth. */
const TRAIN_SECONDS = 1.2;
const CHEAP_STOP = 0.5;
const SAFETY_CAR_LUCK_SECONDS = 4;
const LUCK_LAPS = 5;
/** So many laps it stays out yet; an assumption. */
const SAFETY_CAR_LAPS = 2;
/** Of 2018 to 2021 (f1db): retirements per car and full race after the first lap, and on it. */
const RETIREMENTS_PER_RACE = 0.145;
const FIRST_LAP_RETIREMENTS = 0.022;

export interface Odds {
  readonly lapsLeft: number;
  /** The cars that race on, the leader first. */
  readonly standings: readonly Standing[];
  /** The chance that the car at that index finishes in the position (from 1). */
  chance(index: number, position: number): number;
  /** The chance that the car at the one index finishes before the car at the other. */
  beats(index: number, other: number): number;
  /** That a car does not see the end; one for all. */
  readonly retirement: number;
}

interface RaceScenario extends Scenario {
  readonly times: NormalTimes;
}

/** Keeps its arrays: what it answered is written over by its next answer. */
export class OddsMaker {
  readonly #distribution = new PositionDistribution(DRIVERS_MAX);
  readonly #greenTimes = new NormalTimes(DRIVERS_MAX);
  readonly #safetyCarTimes = new NormalTimes(DRIVERS_MAX);
  #odds: Odds | null = null;

  /** The latest odds; null while nothing can be said. */
  get odds(): Odds | null {
    return this.#odds;
  }

  make(picture: RacePicture): Odds | null {
    const field = raceField(picture);
    this.#odds = field === null ? null : this.#oddsOf(picture, field);
    return this.#odds;
  }

  #oddsOf(picture: RacePicture, field: RaceField): Odds {
    const { standings, lapsLeft, fullLaps } = field;
    const firstLap = picture.lap === 1 && lapsLeft > 0 ? FIRST_LAP_RETIREMENTS : 0;
    const retirement = 1 - Math.exp(-(RETIREMENTS_PER_RACE * lapsLeft) / fullLaps - firstLap);
    const safetyCar = chanceOfSafetyCar(picture, field);
    fillGreenTimes(field, this.#greenTimes);
    fillSafetyCarTimes(field, isBunchedUp(picture), this.#safetyCarTimes);
    const scenarios = [
      { chance: 1 - safetyCar, retirement, times: this.#greenTimes },
      { chance: safetyCar, retirement, times: this.#safetyCarTimes },
    ];
    this.#distribution.compute(standings.length, scenarios);
    return {
      lapsLeft,
      standings,
      retirement,
      chance: (index, position) => this.#distribution.chance(index, position),
      beats: (index, other) => chanceToBeat(index, other, scenarios),
    };
  }
}

/** Of two that both retire, each is as likely to come further. */
function chanceToBeat(index: number, other: number, scenarios: readonly RaceScenario[]): number {
  let sum = 0;
  for (const { chance, retirement, times } of scenarios) {
    const finishes = 1 - retirement;
    sum += chance * (finishes ** 2 * times.chanceToBeat(index, other) + finishes * retirement + retirement ** 2 / 2);
  }
  return sum;
}

/** Whether the cars line up now, for another start or behind the safety car. */
function isBunchedUp({ trackStatus }: RacePicture): boolean {
  return trackStatus === 'safety_car' || trackStatus === 'red_flag';
}

function chanceOfSafetyCar(picture: RacePicture, { standings, lapsLeft, fullLaps }: RaceField): number {
  if (lapsLeft === 0) return 0;
  if (isBunchedUp(picture)) return 1;
  const hazard = safetyCarHazard(picture.lap!, fullLaps, runningFraction(picture, standings.length), NO_REASONS);
  return safetyCarChance(hazard, lapsLeft);
}

function fillGreenTimes(field: RaceField, times: NormalTimes): void {
  for (let place = 0; place < field.standings.length; place++) {
    setRemainingTime(
      field,
      place,
      { gapSeconds: field.gapSeconds[place]!, laps: field.lapsLeft, stopCost: 1, luckSeconds: 0 },
      times,
    );
  }
}

/** `now`: the safety car is out; else it comes at some time, half of the way to the end in the mean. */
function fillSafetyCarTimes(field: RaceField, now: boolean, times: NormalTimes): void {
  const laps = now ? Math.max(0, field.lapsLeft - SAFETY_CAR_LAPS) : field.lapsLeft / 2;
  const stopCost = now ? 1 : (1 + CHEAP_STOP) / 2;
  const luckSeconds = SAFETY_CAR_LUCK_SECONDS * Math.min(1, laps / LUCK_LAPS);
  for (let place = 0; place < field.standings.length; place++) {
    setRemainingTime(field, place, { gapSeconds: place * TRAIN_SECONDS, laps, stopCost, luckSeconds }, times);
  }
}

interface RestOfRace {
  readonly gapSeconds: number;
  /** To race freely. */
  readonly laps: number;
  readonly stopCost: number;
  readonly luckSeconds: number;
}

function setRemainingTime(
  field: RaceField,
  place: number,
  { gapSeconds, laps, stopCost, luckSeconds }: RestOfRace,
  times: NormalTimes,
): void {
  const stops = field.stops[place]!;
  const uncertainStops = (stops % 1) * (1 - (stops % 1));
  const stopSeconds = STOP_SECONDS * stopCost;
  times.meanSeconds[place] = gapSeconds + place * PASS_SECONDS + field.paceSeconds[place]! * laps + stops * stopSeconds;
  times.deviationSeconds[place] = Math.sqrt(
    (field.paceDeviation[place]! ** 2 + PACE_CHANGE_SECONDS ** 2) * laps ** 2 +
      LAP_DEVIATION_SECONDS ** 2 * laps +
      uncertainStops * stopSeconds ** 2 +
      stops * STOP_DEVIATION_SECONDS ** 2 +
      luckSeconds ** 2,
  );
}
