// How often a safety car comes, per lap. The base are the real safety cars that TU Munich's race simulation was published with
// (github.com/TUMFTM/race-simulation): none in 45.5 % of the races, one in 41.3 %, two in 9.9 %, three in 3.3 %; 36.4 % of them on
// the first lap. These shares are 55, 50, 12 and 4 of 121 races, as many as there were from 2014 to 2019: 86 deployments. (That
// count is our inference.) Virtual ones are not among them. How much a yellow flag, a standing car or rain raises the rate is
// our assumption, not a measurement.

import { Z90 } from './normal-distribution.ts';
import type { RacePicture } from './race-picture.ts';

const RACES = 121;
const DEPLOYMENTS = 86;
const FIRST_LAP_SHARE = 0.364;
const LATER_DEPLOYMENTS = DEPLOYMENTS * (1 - FIRST_LAP_SHARE);

/** A rate is raised so many times while the reason holds; assumptions. */
const YELLOW_FACTOR = 3;
const STOPPED_CAR_FACTOR = 8;
const RAIN_FACTOR = 1.5;

export interface SafetyCarReasons {
  readonly yellowFlag: boolean;
  /** A car came to a stand on the latest laps. */
  readonly standingCar: boolean;
  readonly rainChanged: boolean;
}

export const NO_REASONS: SafetyCarReasons = { yellowFlag: false, standingCar: false, rainChanged: false };

export interface SafetyCarHazard {
  /** Expected deployments on the present lap, and on each lap once the reasons of the moment are over. */
  readonly nextLap: number;
  readonly perLap: number;
}

/**
 * `running` is the part of the starters that still runs: fewer cars have fewer accidents. Per lap of a race over the full
 * distance, of which `fullLaps` make one.
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

/** The part of the cars that were heard of that still runs. */
export function runningFraction(picture: RacePicture, running: number): number {
  let cars = 0;
  for (const _ of picture.cars()) cars++;
  return running / Math.max(cars, running, 1);
}

/** The chance of at least one deployment within the next laps, the present one included. */
export function safetyCarChance({ nextLap, perLap }: SafetyCarHazard, laps: number): number {
  return laps <= 0 ? 0 : 1 - Math.exp(-(nextLap * Math.min(1, laps) + perLap * Math.max(0, laps - 1)));
}

/** The hazard with another rate: a bound instead of the estimate. */
export function scaledHazard({ nextLap, perLap }: SafetyCarHazard, factor: number): SafetyCarHazard {
  return { nextLap: nextLap * factor, perLap: perLap * factor };
}

/**
 * What the counts leave open: by how much the rate may be lower or higher, with a chance of 80 %. The rate has a gamma
 * distribution with half a count added (Jeffreys); its quantiles by Wilson and Hilferty.
 */
export const RATE_FACTORS = { lower: rateFactor(-Z90), upper: rateFactor(Z90) };

function rateFactor(normalValue: number): number {
  const shape = LATER_DEPLOYMENTS + 0.5;
  const cubeRoot = 1 - 1 / (9 * shape) + normalValue / (3 * Math.sqrt(shape));
  return (shape / LATER_DEPLOYMENTS) * cubeRoot ** 3;
}
