// analytics.safety-car: how likely a safety car is, and what raises that chance now.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SafetyCarData } from '#schemas/webhook/analytics-safety-car.ts';
import type { RaceModel } from './analytics-model.ts';
import { fullDistance } from './race-field.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import {
  RATE_FACTORS,
  runningFraction,
  type SafetyCarHazard,
  type SafetyCarReasons,
  safetyCarChance,
  safetyCarHazard,
  scaledHazard,
} from './safety-car-hazard.ts';

/** A car that drops out, or rain that starts or stops, raises the chance for this many laps. */
const RAISED_LAPS = 2;
/** The leader's laps behind one safety car. An assumption. */
const LAPS_BEHIND_ONE = 4;

export class SafetyCarRisk implements RaceModel {
  readonly feed = 'analytics.safety-car';
  #out = 0;
  #droppedOutLap = -Infinity;
  #raining: boolean | null = null;
  #rainChangedLap = -Infinity;

  emit(picture: RacePicture): Content | null {
    const { lap, lapsLeft, totalLaps, trackStatus } = picture;
    if (lap === null || lapsLeft === null || totalLaps === null) return null;
    const reasons = this.#reasons(picture, lap);
    const part = runningFraction(picture, picture.order().length);
    const isOut = trackStatus === 'safety_car';
    const hazard = safetyCarHazard(lap, fullDistance(picture), part, reasons);
    const coming: SafetyCarHazard = isOut ? { ...hazard, nextLap: 0 } : hazard;
    const expected = coming.nextLap + coming.perLap * Math.max(0, lapsLeft - 1) + (isOut ? 0.5 : 0);
    const data: SafetyCarData = {
      deployed: isOut ? 'real' : trackStatus === 'virtual_safety_car' ? 'virtual' : 'none',
      deployments: picture.safetyCars,
      nextLap: chanceWithin(coming, Math.min(1, lapsLeft)),
      nextFiveLaps: chanceWithin(coming, Math.min(5, lapsLeft)),
      untilEnd: chanceWithin(coming, lapsLeft),
      expectedLaps: rounded(Math.min(lapsLeft, expected * LAPS_BEHIND_ONE), 2),
      ...reasons,
    };
    return { data };
  }

  #reasons(picture: RacePicture, lap: number): SafetyCarReasons {
    let out = 0;
    for (const { place } of picture.cars()) if (place === 'out') out++;
    if (out > this.#out) this.#droppedOutLap = lap;
    this.#out = out;
    const { isRaining } = picture;
    if (this.#raining !== null && isRaining !== this.#raining) this.#rainChangedLap = lap;
    this.#raining = isRaining;
    return {
      yellowFlag: picture.isYellow,
      standingCar: lap - this.#droppedOutLap < RAISED_LAPS,
      rainChanged: lap - this.#rainChangedLap < RAISED_LAPS,
    };
  }
}

function chanceWithin(hazard: SafetyCarHazard, laps: number): SafetyCarData['nextLap'] {
  const chance = (factor: number) => rounded(safetyCarChance(scaledHazard(hazard, factor), laps), 4);
  return { probability: chance(1), lower: chance(RATE_FACTORS.lower), upper: chance(RATE_FACTORS.upper) };
}
