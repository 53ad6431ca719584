// analytics.battle: which cars fight for a position, how fast the car behind closes in, and how likely it is to pass.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import type { RaceModel } from './analytics-model.ts';
import { type Pace, paces } from './pace.ts';
import { type Chance, passChances } from './pass-chance.ts';
import { LAP_DEVIATION_SECONDS } from './passing.ts';
import type { Car, Standing } from './race-car.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';
import { rounded } from './rounded.ts';

const BATTLE_SECONDS = 2;
const WITHIN_SECONDS = 1;
/** Gaps kept for a car while it follows the same car, one per lap. */
const GAPS_MAX = 5;
/** Standard deviation assumed for the pace of a car without pace data. */
const PACE_DEVIATION_SECONDS = 0.6;
const UNKNOWN_PACE: Pace = { offsetSeconds: 0, uncertaintySeconds: PACE_DEVIATION_SECONDS, laps: 0 };

/** A car behind another, lap by lap. */
interface Pursuit {
  readonly ahead: string;
  readonly laps: number[];
  readonly gaps: number[];
}

interface RaceSoFar {
  readonly event: string | null;
  readonly lap: number;
  readonly totalLaps: number | null;
  readonly lapsLeft: number;
}

interface Closing {
  readonly secondsPerLap: number;
  readonly deviation: number;
}

export class Battles implements RaceModel {
  readonly feed = 'analytics.battle';
  readonly #pursuits = new Map<string, Pursuit>();
  #hadBattles = false;

  emit(picture: RacePicture, state: SessionState): Content | null {
    const order = picture.order();
    const battles: Battle[] = [];
    const numbers = new Set<string>();
    if (!picture.isGreen) this.#pursuits.clear();
    else {
      this.#follow(order, picture.lap ?? 0);
      const pace = paces(picture);
      const race: RaceSoFar = {
        event: picture.event,
        lap: picture.lap ?? 1,
        totalLaps: picture.totalLaps,
        lapsLeft: picture.lapsLeft ?? Number.POSITIVE_INFINITY,
      };
      for (let index = 1; index < order.length; index++) {
        const ahead = order[index - 1]!;
        const behind = order[index]!;
        if (!areFighting(ahead, behind)) continue;
        const pursuit = this.#pursuits.get(behind.car.number)!;
        const speed = closing(pursuit, pace.get(ahead.car.number), pace.get(behind.car.number));
        battles.push(battleOf(ahead, behind, pursuit, speed, race));
        numbers.add(ahead.car.number).add(behind.car.number);
      }
    }
    if (battles.length === 0 && !this.#hadBattles) return null;
    this.#hadBattles = battles.length > 0;
    return { drivers: [...numbers].map((number) => state.driver(number)), session: { battles } };
  }

  /**
   * Records gaps. A pursuit restarts when the car ahead changes or either car stops: those laps do not show closing
   * speed.
   */
  #follow(order: readonly Standing[], lap: number): void {
    for (let index = 0; index < order.length; index++) {
      const { car, intervalSeconds } = order[index]!;
      const ahead = order[index - 1]?.car.number;
      let pursuit = this.#pursuits.get(car.number);
      if (ahead === undefined || intervalSeconds === null) {
        this.#pursuits.delete(car.number);
        continue;
      }
      if (pursuit?.ahead !== ahead || isStopping(car) || isStopping(order[index - 1]!.car)) {
        pursuit = { ahead, laps: [], gaps: [] };
        this.#pursuits.set(car.number, pursuit);
      }
      if (pursuit.laps.at(-1) === lap) {
        pursuit.gaps[pursuit.gaps.length - 1] = intervalSeconds;
        continue;
      }
      pursuit.laps.push(lap);
      pursuit.gaps.push(intervalSeconds);
      if (pursuit.laps.length > GAPS_MAX) {
        pursuit.laps.shift();
        pursuit.gaps.shift();
      }
    }
  }
}

/** Whether the car is on its in-lap or out-lap. */
function isStopping({ visits, lapsCompleted }: Car): boolean {
  return lapsCompleted <= (visits.at(-1)?.inLap ?? -1);
}

function areFighting(ahead: Standing, behind: Standing): boolean {
  const { intervalSeconds } = behind;
  return (
    intervalSeconds !== null &&
    intervalSeconds <= BATTLE_SECONDS &&
    ahead.car.place === 'track' &&
    behind.car.place === 'track' &&
    ahead.lapsBehind === behind.lapsBehind
  );
}

/** The change of the gap from first to last. With few laps it is pulled towards the difference in pace. */
function closing({ laps, gaps }: Pursuit, ahead: Pace = UNKNOWN_PACE, behind: Pace = UNKNOWN_PACE): Closing {
  const prior = ahead.offsetSeconds - behind.offsetSeconds;
  const priorPrecision = 1 / (ahead.uncertaintySeconds ** 2 + behind.uncertaintySeconds ** 2);
  const span = laps.at(-1)! - laps[0]!;
  // The gap at each end has the variance of two laps.
  const precision = span ** 2 / (4 * LAP_DEVIATION_SECONDS ** 2);
  const seen = span === 0 ? 0 : (gaps[0]! - gaps.at(-1)!) / span;
  return {
    secondsPerLap: (prior * priorPrecision + seen * precision) / (priorPrecision + precision),
    deviation: Math.sqrt(1 / (priorPrecision + precision)),
  };
}

function battleOf(
  ahead: Standing,
  behind: Standing,
  { laps, gaps }: Pursuit,
  closing: Closing,
  { event, lap, totalLaps, lapsLeft }: RaceSoFar,
): Battle {
  const gapSeconds = behind.intervalSeconds!;
  const tired = tires(ahead.car, behind.car);
  // A lap without a gap breaks the row.
  const from = laps.findLastIndex((one, index) => index > 0 && one !== laps[index - 1]! + 1);
  const pursuit = {
    gapsSeconds: gaps.slice(Math.max(0, from)),
    // Without clean laps, what the paces of both cars promise.
    latestLapGainSeconds: latestLapGain(ahead.car, behind.car) ?? closing.secondsPerLap,
    ...tired,
    lap,
    totalLaps,
  };
  const horizons = [1, 3, 5].map((count) => Math.min(count, lapsLeft));
  const chances = passChances(pursuit, event, closing.deviation, horizons).map(roundedChance);
  return {
    ahead: ahead.car.number,
    behind: behind.car.number,
    position: ahead.position,
    gapSeconds: rounded(gapSeconds, 3),
    withinOneSecond: gapSeconds <= WITHIN_SECONDS,
    closingSecondsPerLap: rounded(closing.secondsPerLap, 3),
    closingDeviationSecondsPerLap: rounded(closing.deviation, 3),
    lapsTogether: laps.length,
    ...tired,
    passWithinOneLap: chances[0]!,
    passWithinThreeLaps: chances[1]!,
    passWithinFiveLaps: chances[2]!,
  };
}

function roundedChance({ probability, lower, upper }: Chance): Chance {
  return { probability: rounded(probability, 4), lower: rounded(lower, 4), upper: rounded(upper, 4) };
}

/** Null: not both cars have just driven a clean lap. */
function latestLapGain(ahead: Car, behind: Car): number | null {
  const theirs = ahead.laps.at(-1);
  const ours = behind.laps.at(-1);
  if (theirs?.ms == null || ours?.ms == null || !theirs.clean || !ours.clean) return null;
  return (theirs.ms - ours.ms) / 1000;
}

function tires(ahead: Car, behind: Car): Pick<Battle, 'tireAgeDifferenceLaps' | 'compoundAhead' | 'compoundBehind'> {
  const ours = tireAgeOf(behind);
  const theirs = tireAgeOf(ahead);
  return {
    tireAgeDifferenceLaps: ours === null || theirs === null ? null : ours - theirs,
    compoundAhead: ahead.stints.at(-1)?.compound ?? null,
    compoundBehind: behind.stints.at(-1)?.compound ?? null,
  };
}
