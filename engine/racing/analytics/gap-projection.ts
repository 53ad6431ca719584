// analytics.gap-projection: future gaps, assuming that no car stops.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import type { RaceModel } from './analytics-model.ts';
import { isWetTire } from './compound-rule.ts';
import { LatestContent } from './latest-content.ts';
import { normalBelow, Z90 } from './normal-distribution.ts';
import { type Pace, paces } from './pace.ts';
import type { Standing } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

const LAPS_AHEAD = [1, 3, 5, 10];
/** Below this gap the car ahead holds up its follower: any further gain shrinks to this fraction. */
const HELD_UP_SECONDS = 0.5;
const PASSING_PART = 0.7;
/** Within this gap a car has caught the one ahead. */
const CAUGHT_SECONDS = 1;
/** Below this chance of a catch no lap is given. */
const CATCH_CHANCE_MIN = 0.05;
/** Standard deviation per lap of the pace difference between wet and dry tires. */
const MIXED_TIRES_SECONDS = 4;
/**
 * Deviation of the future change in two cars' relative pace, on top of its present uncertainty. Fitted to Baku 2018.
 */
const PACE_CHANGE_SECONDS = 0.45;

/**
 * Prior for a car's pace from its position: seconds per lap from one position to the next, and the deviation around
 * that. Its weight falls as clean laps come in.
 */
const PLACE_SECONDS = 0.1;
const PLACE_DEVIATION_SECONDS = 0.6;
/** After a start or restart the field spreads out: by this much from car to car, half of it on the first lap. */
const SPREAD_SECONDS = 1;
const SPREAD_DEVIATION_PART = 0.6;

interface Racer {
  readonly standing: Standing;
  readonly offsetSeconds: number;
  readonly uncertaintySeconds: number;
  readonly laps: number;
  readonly wearSeconds: number;
  readonly isWet: boolean;
}

interface Quantiles {
  readonly p10Seconds: number;
  readonly p50Seconds: number;
  readonly p90Seconds: number;
}

export class GapProjection implements RaceModel {
  readonly feed = 'analytics.gap-projection';
  readonly #latest = new LatestContent();
  #startLap: number | null = null;

  emit(picture: RacePicture, state: SessionState): Content | null {
    const { lapsLeft, isGreen, isFinished, lap } = picture;
    if (!isGreen) this.#startLap = null;
    if (!isGreen || isFinished || lap === null || lapsLeft === 0) return null;
    this.#startLap ??= lap;
    if (picture.lapTimes.forms.size === 0) return null;
    const spreadSeconds = SPREAD_SECONDS * 0.5 ** (lap - this.#startLap);
    const horizons = LAPS_AHEAD.map((laps) => Math.min(laps, lapsLeft ?? laps));
    const lapsAhead = [...new Set(horizons)];
    const found = paces(picture);
    const { lapTimes } = picture;
    let leader: Racer | null = null;
    let front: Racer | null = null;
    const drivers: GapProjectionDriver[] = [];
    const order = picture.order();
    for (const standing of order) {
      const { car, gapSeconds, lapsBehind, intervalSeconds, position } = standing;
      if (car.place !== 'track') {
        front = null;
        continue;
      }
      const compound = car.stints.at(-1)?.compound ?? null;
      const wearSeconds = lapTimes.tire(compound)?.wearSecondsPerLap ?? 0;
      const racer = racerOf(standing, found.get(car.number)!, order.length, wearSeconds, isWetTire(compound));
      if (position === 1) leader = racer;
      const toLeader: Gap | null =
        leader === null || leader === racer || gapSeconds === null || lapsBehind > 0
          ? null
          : gap(gapSeconds, racer, leader, lapTimes.scatterSeconds, spreadSeconds);
      const toFront: Gap | null =
        front === null || intervalSeconds === null || intervalSeconds < 0
          ? null
          : gap(intervalSeconds, racer, front, lapTimes.scatterSeconds, spreadSeconds);
      const ahead = front?.standing.car.number ?? null;
      const isBehindLeader = front !== null && front === leader;
      front = racer;
      if (toLeader === null && toFront === null) continue;
      drivers.push({
        ...state.driver(car.number),
        aheadNumber: toFront === null ? null : ahead,
        paceLaps: racer.laps,
        projections: lapsAhead.map((laps) => ({
          inLaps: laps,
          gapToLeader: toLeader === null ? null : toLeader(laps, isBehindLeader),
          gapToAhead: toFront === null ? null : toFront(laps, true),
        })),
        catchAhead: toFront === null ? null : catchOf(toFront, lap, lapsLeft ?? LAPS_AHEAD.at(-1)!),
      });
    }
    return drivers.length === 0 ? null : this.#latest.ifChanged({ drivers });
  }
}

/** The gap after `laps` laps. `isHeldUp`: the other car is directly ahead and may hold this one up. */
interface Gap {
  (laps: number, isHeldUp: boolean): Quantiles;
  /** Mean and standard deviation if no car is held up. */
  free(laps: number): readonly [number, number];
}

function racerOf(standing: Standing, pace: Pace, cars: number, wearSeconds: number, isWet: boolean): Racer {
  const placeSeconds = PLACE_SECONDS * (standing.position - (cars + 1) / 2);
  const weight = 1 / pace.uncertaintySeconds ** 2;
  const placeWeight = 1 / PLACE_DEVIATION_SECONDS ** 2;
  return {
    standing,
    offsetSeconds: (weight * pace.offsetSeconds + placeWeight * placeSeconds) / (weight + placeWeight),
    uncertaintySeconds: Math.sqrt(1 / (weight + placeWeight)),
    laps: pace.laps,
    wearSeconds,
    isWet,
  };
}

function gap(nowSeconds: number, racer: Racer, other: Racer, scatterSeconds: number, spreadSeconds: number): Gap {
  const seconds = racer.offsetSeconds - other.offsetSeconds;
  const wearSeconds = racer.wearSeconds - other.wearSeconds;
  const mixed = racer.isWet === other.isWet ? 0 : MIXED_TIRES_SECONDS ** 2;
  const paceVariance = racer.uncertaintySeconds ** 2 + other.uncertaintySeconds ** 2 + mixed + PACE_CHANGE_SECONDS ** 2;
  const lapVariance = 2 * scatterSeconds ** 2;
  const places = racer.standing.position - other.standing.position;
  const free = (laps: number): readonly [number, number] => {
    const spread = spreadSeconds * places * (1 - 0.5 ** laps);
    const variance = laps * lapVariance + laps * laps * paceVariance + (SPREAD_DEVIATION_PART * spread) ** 2;
    return [nowSeconds + laps * seconds + (wearSeconds * laps * laps) / 2 + spread, Math.sqrt(variance)];
  };
  const quantiles = (laps: number, isHeldUp: boolean): Quantiles => {
    const [mean, deviation] = free(laps);
    const at = (z: number): number => {
      const value = mean + z * deviation;
      return rounded(
        isHeldUp && value < HELD_UP_SECONDS ? HELD_UP_SECONDS + PASSING_PART * (value - HELD_UP_SECONDS) : value,
        2,
      );
    };
    return { p10Seconds: at(-Z90), p50Seconds: at(0), p90Seconds: at(Z90) };
  };
  return Object.assign(quantiles, { free });
}

function catchOf({ free }: Gap, lap: number, lapsLeft: number): GapProjectionDriver['catchAhead'] {
  if (free(0)[0] <= CAUGHT_SECONDS) return { probability: 1, lap };
  let probability = 0;
  let at: number | null = null;
  for (let laps = 1; laps <= lapsLeft; laps++) {
    const [mean, deviation] = free(laps);
    probability = Math.max(probability, normalBelow((CAUGHT_SECONDS - mean) / deviation));
    if (at === null && mean <= CAUGHT_SECONDS) at = lap + laps - 1;
  }
  return { probability: rounded(probability, 3), lap: probability < CATCH_CHANCE_MIN ? null : at };
}
