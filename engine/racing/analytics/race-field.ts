// The cars still racing, as numbers for the odds: gaps, pace and stops to come. Recordings without timing data have no
// gaps; typical gaps for the position stand in there.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { isWetTire, owesCompound } from './compound-rule.ts';
import { paces } from './pace.ts';
import type { Car, Standing } from './race-car.ts';
import { type RacePicture, SPRINTS_PER_RACE } from './race-picture.ts';
import { stopsDue } from './stops-due.ts';
import { TireLives } from './tire-life.ts';

/**
 * A typical gap to the car ahead at the start, and its growth until the end of the race. In 2014 to 2021 (f1db) the car
 * in fifth place was 45 s behind the winner in the median. Cars further back are on the winner's lap too rarely to
 * measure.
 */
const GAP_START_SECONDS = 1.5;
const GAP_GROWTH_SECONDS = 7.5;
/** The minimum gap. It keeps the order of the gaps equal to the order on the road. */
const GAP_MIN_SECONDS = 0.2;
/** A car this many laps short of where it should be has stopped. */
const STOPPED_LAPS = 3;

/**
 * Prior for a car's pace from its place on the road: seconds per lap from one place to the next, and the deviation
 * around that. Fitted to grids and results of the 160 races of 2014 to 2021 (f1db), with a pace deviation that
 * reproduces the final gaps of those races. The order says more towards the end of a race.
 */
const PLACE_SECONDS_START = 0.08;
const PLACE_SECONDS_END = 0.12;
const PLACE_DEVIATION_START = 0.5;
const PLACE_DEVIATION_END = 0.15;

/** The arrays are indexed by place on the road, from 0. */
export interface RaceField {
  readonly standings: readonly Standing[];
  /** Laps left for the leader, and the laps of a full-length race. */
  readonly lapsLeft: number;
  readonly fullLaps: number;
  readonly gapSeconds: Float64Array;
  /** Pace relative to the field in seconds per lap, and the deviation of that estimate. */
  readonly paceSeconds: Float64Array;
  readonly paceDeviation: Float64Array;
  readonly stops: Float64Array;
}

const gapSeconds = new Float64Array(DRIVERS_MAX);
const paceSeconds = new Float64Array(DRIVERS_MAX);
const paceDeviation = new Float64Array(DRIVERS_MAX);
const stops = new Float64Array(DRIVERS_MAX);

/** Null before the laps are known, or without cars. The next call overwrites the arrays. */
export function raceField(picture: RacePicture): RaceField | null {
  const { lap, totalLaps, isFinished } = picture;
  if (lap === null || totalLaps === null || totalLaps < 1) return null;
  const standings = racingStandings(picture);
  if (standings.length === 0) return null;
  const lapsLeft = isFinished ? 0 : picture.lapsLeft!;
  const fullLaps = fullDistance(picture);
  const done = Math.min(1, (totalLaps - lapsLeft) / totalLaps);
  fillGaps(standings, done, picture.lapSeconds ?? 0);
  fillPaces(standings, picture, done);
  fillStops(standings, picture, lapsLeft, totalLaps);
  return { standings, lapsLeft, fullLaps, gapSeconds, paceSeconds, paceDeviation, stops };
}

/** The cars still racing, the leader first. Detects stopped cars even where only tire data exists. */
export function racingStandings(picture: RacePicture): Standing[] {
  const { lap } = picture;
  return lap === null ? [] : picture.order().filter((standing) => !hasStopped(standing, lap));
}

/** The laps of a full-length race: three times those of a sprint. `totalLaps` must be known. */
export function fullDistance({ totalLaps, isSprint }: RacePicture): number {
  return isSprint ? totalLaps! * SPRINTS_PER_RACE : totalLaps!;
}

/** Whether the car no longer completes laps. Before any laps are reported it counts as racing. */
function hasStopped({ car, lapsBehind }: Standing, lap: number): boolean {
  const lapsDone = Math.max(car.lapsCompleted, lapsOnTires(car));
  return (car.stints.length > 0 || car.lapsCompleted > 0) && lap - 1 - lapsDone - lapsBehind > STOPPED_LAPS;
}

function lapsOnTires({ stints }: Car): number {
  let laps = 0;
  for (const { tireAge, startAge } of stints) laps += Math.max(0, tireAge - (startAge ?? 0));
  return laps;
}

function fillGaps(standings: readonly Standing[], done: number, lapSeconds: number): void {
  const typical = GAP_START_SECONDS + GAP_GROWTH_SECONDS * done;
  let before = 0;
  for (let place = 0; place < standings.length; place++) {
    const { gapSeconds: reported, intervalSeconds, lapsBehind } = standings[place]!;
    if (place > 0) {
      const gap =
        lapsBehind > 0
          ? Math.max(before + (intervalSeconds ?? typical), lapsBehind * lapSeconds)
          : (reported ?? before + (intervalSeconds ?? typical));
      before = Math.max(gap, before + GAP_MIN_SECONDS);
    }
    gapSeconds[place] = before;
  }
}

function fillPaces(standings: readonly Standing[], picture: RacePicture, done: number): void {
  const measured = paces(picture);
  const perPlace = PLACE_SECONDS_START + (PLACE_SECONDS_END - PLACE_SECONDS_START) * done;
  const deviation = PLACE_DEVIATION_START + (PLACE_DEVIATION_END - PLACE_DEVIATION_START) * done;
  const precision = 1 / deviation ** 2;
  const middle = (standings.length - 1) / 2;
  for (let place = 0; place < standings.length; place++) {
    const pace = measured.get(standings[place]!.car.number);
    const seen = pace === undefined || pace.laps === 0 ? 0 : 1 / pace.uncertaintySeconds ** 2;
    const byPlace = (place - middle) * perPlace;
    paceSeconds[place] = (precision * byPlace + seen * (pace?.offsetSeconds ?? 0)) / (precision + seen);
    paceDeviation[place] = Math.sqrt(1 / (precision + seen));
  }
}

function fillStops(standings: readonly Standing[], picture: RacePicture, lapsLeft: number, totalLaps: number): void {
  const lives = new TireLives(picture, totalLaps);
  for (let place = 0; place < standings.length; place++) {
    const { car } = standings[place]!;
    const owes = owesCompound(car, picture) === true;
    stops[place] = stopsDue(car, lapsLeft, lives, owes, fractionChangedSince(car, standings));
  }
}

/** The fraction of the other cars that switched between wet and dry tires since this car's last stop. */
function fractionChangedSince(car: Car, standings: readonly Standing[]): number {
  const tire = car.stints.at(-1);
  if (tire === undefined || tire.compound === null || standings.length < 2) return 0;
  const wet = isWetTire(tire.compound);
  let changed = 0;
  for (const { car: other } of standings) {
    const theirs = other.stints.at(-1);
    if (theirs === undefined || theirs.compound === null) continue;
    if (isWetTire(theirs.compound) !== wet && theirs.fromLap > tire.fromLap) changed++;
  }
  return changed / (standings.length - 1);
}
