// The rate of safety car deployments per lap, without virtual ones. It is based on the figures published with TU
// Munich's race simulation (github.com/TUMFTM/race-simulation): no safety car in 45.5 % of the races, one in 41.3 %,
// two in 9.9 %, three in 3.3 %; 36.4 % of deployments on the first lap. Those shares are 55, 50, 12 and 4 of 121 races,
// the number of races from 2014 to 2019, which makes 86 deployments. (The counts are our inference.) How much a yellow
// flag, a stopped car or rain raises the rate is our assumption, not a measurement.

import { Z90 } from './normal-distribution.ts';
import type { RacePicture } from './race-picture.ts';

const RACES = 121;
const DEPLOYMENTS = 86;
const FIRST_LAP_SHARE = 0.364;
const LATER_DEPLOYMENTS = DEPLOYMENTS * (1 - FIRST_LAP_SHARE);

/** The rate is multiplied by these factors while the reason lasts. Assumptions. */
const YELLOW_FACTOR = 3;
const STOPPED_CAR_FACTOR = 8;
const RAIN_FACTOR = 1.5;

export interface SafetyCarReasons {
  readonly yellowFlag: boolean;
  /** A car stopped or retired on the latest laps. */
  readonly standingCar: boolean;
  readonly rainChanged: boolean;
}

export const NO_REASONS: SafetyCarReasons = { yellowFlag: false, standingCar: false, rainChanged: false };

export interface SafetyCarHazard {
  /** Expected deployments on the current lap, and on each later lap, when the present reasons no longer apply. */
  readonly nextLap: number;
  readonly perLap: number;
}

/**
 * `running` is the fraction of starters still running: fewer cars have fewer accidents. `fullLaps` are the laps of a
 * full-length race, to which the counts refer.
 */
export function safetyCarHazard(
  lap: number,
  fullLaps: number,
  running: number,
  { yellowFlag, standingCar, rainChanged }: SafetyCarReasons,
): SafetyCarHazard {
  const perLap = (LATER_DEPLOYMENTS / RACES / Math.max(1, fullLaps - 1)) * running;
  const base = lap === 1 ? (DEPLOYMENTS * FIRST_LAP_SHARE) / RACES : perLap;
  const factor = (standingCar ? STOPPED_CAR_FACTOR : yellowFlag ? YELLOW_FACTOR : 1) * (rainChanged ? RAIN_FACTOR : 1);
  return { nextLap: base * factor, perLap };
}

/** The fraction of all reported cars that is still running. */
export function runningFraction(picture: RacePicture, running: number): number {
  let cars = 0;
  for (const _ of picture.cars()) cars++;
  return running / Math.max(cars, running, 1);
}

/** The chance of at least one deployment within the next `laps` laps, including the current one. */
export function safetyCarChance({ nextLap, perLap }: SafetyCarHazard, laps: number): number {
  return laps <= 0 ? 0 : 1 - Math.exp(-(nextLap * Math.min(1, laps) + perLap * Math.max(0, laps - 1)));
}

/** The hazard with its rates multiplied by `factor`: a bound instead of the estimate. */
export function scaledHazard({ nextLap, perLap }: SafetyCarHazard, factor: number): SafetyCarHazard {
  return { nextLap: nextLap * factor, perLap: perLap * factor };
}

/**
 * The 80 % interval of the rate given the counts, as factors of the estimate. The rate has a gamma distribution with
 * half a count added (Jeffreys prior). Quantiles by the Wilson-Hilferty approximation.
 */
export const RATE_FACTORS = { lower: rateFactor(-Z90), upper: rateFactor(Z90) };

function rateFactor(normalValue: number): number {
  const shape = LATER_DEPLOYMENTS + 0.5;
  const cubeRoot = 1 - 1 / (9 * shape) + normalValue / (3 * Math.sqrt(shape));
  return (shape / LATER_DEPLOYMENTS) * cubeRoot ** 3;
}
