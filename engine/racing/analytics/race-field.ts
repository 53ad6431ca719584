// The cars still racing, as numbers for the odds: gaps, pace and stops to come. Recordings without timing data have no
// gaps; typical gaps for the position stand in there.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { passEaseAt, stopPartAt } from './circuit-costs.ts';
import { isWetTire, owesCompound } from './compound-rule.ts';
import type { OddsSettings } from './odds-settings.ts';
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

/** Further from the field than this no preview has put a driver. */
const STRENGTH_MAX = 5;
/** Nor a car further from the others in how often it retires. */
const RETIREMENT_FACTOR_MAX = 5;

/** The arrays are indexed by place on the road, from 0. */
export interface RaceField {
  readonly standings: readonly Standing[];
  /** Laps left for the leader, and the laps of a full-length race. */
  readonly lapsLeft: number;
  readonly fullLaps: number;
  readonly gapSeconds: Float64Array;
  readonly stops: Float64Array;
  /** The fraction of the race that is done. */
  readonly done: number;
  /** Measured pace relative to the field in seconds per lap, and its precision (0: not measured). */
  readonly seenSeconds: Float64Array;
  readonly seenPrecision: Float64Array;
  /** Strength before the race, relative to the cars still racing. Zeros: not known. */
  readonly strengths: Float64Array;
  /** How often the car retires by what was known before the race, relative to the others. Ones: not known. */
  readonly retirements: Float64Array;
  /** What a stop costs at this circuit, relative to an average one, and how much easier passes are, in logits. */
  readonly stopPart: number;
  readonly passEase: number;
}

/** Pace relative to the field in seconds per lap, and the deviation of that estimate, by place. */
export interface FieldPaces {
  readonly seconds: Float64Array;
  readonly deviation: Float64Array;
}

const gapSeconds = new Float64Array(DRIVERS_MAX);
const seenSeconds = new Float64Array(DRIVERS_MAX);
const seenPrecision = new Float64Array(DRIVERS_MAX);
const strengths = new Float64Array(DRIVERS_MAX);
const retirements = new Float64Array(DRIVERS_MAX);
const stops = new Float64Array(DRIVERS_MAX);

/** Null before the laps are known, or without cars. The next call overwrites the arrays. */
export function raceField(picture: RacePicture): RaceField | null {
  const { lap, totalLaps, isFinished } = picture;
  if (lap === null || totalLaps === null) return null;
  const standings = racingStandings(picture);
  if (standings.length === 0) return null;
  const lapsLeft = isFinished ? 0 : picture.lapsLeft!;
  const fullLaps = fullDistance(picture);
  const done = Math.min(1, (totalLaps - lapsLeft) / totalLaps);
  fillGaps(standings, done, picture.lapSeconds ?? 0);
  fillSeen(standings, picture);
  fillStrengths(standings, picture);
  fillRetirements(standings, picture);
  fillStops(standings, picture, lapsLeft, totalLaps);
  return {
    standings,
    lapsLeft,
    fullLaps,
    gapSeconds,
    stops,
    done,
    seenSeconds,
    seenPrecision,
    strengths,
    retirements,
    stopPart: stopPartAt(picture.event),
    passEase: passEaseAt(picture.event),
  };
}

/**
 * A car's pace: what its laps of this race say, and a prior from its place on the road and its strength before the race.
 * The order says more towards the end of a race; the preview's share of the prior fades.
 */
export function fillPaces(field: RaceField, settings: OddsSettings, paces: FieldPaces): void {
  const { standings, done, seenSeconds: seen, seenPrecision: certainty, strengths: known } = field;
  const at = ([start, end]: readonly [number, number]): number => start + (end - start) * done;
  const perPlace = at(settings.placeSeconds);
  const perStrength = at(settings.strengthSeconds);
  const precision = 1 / at(settings.placeDeviation) ** 2;
  const middle = (standings.length - 1) / 2;
  for (let place = 0; place < standings.length; place++) {
    const before = (place - middle) * perPlace - known[place]! * perStrength;
    const measured = settings.measuredShare * certainty[place]!;
    const sum = precision + measured;
    paces.seconds[place] = (precision * before + measured * seen[place]!) / sum;
    paces.deviation[place] = Math.sqrt(1 / sum);
  }
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

function fillSeen(standings: readonly Standing[], picture: RacePicture): void {
  const measured = paces(picture);
  for (let place = 0; place < standings.length; place++) {
    const pace = measured.get(standings[place]!.car.number);
    const isSeen = pace !== undefined && pace.laps > 0;
    seenSeconds[place] = isSeen ? pace.offsetSeconds : 0;
    seenPrecision[place] = isSeen ? 1 / pace.uncertaintySeconds ** 2 : 0;
  }
}

/** A driver without a strength counts as average. */
function fillStrengths(standings: readonly Standing[], picture: RacePicture): void {
  let sum = 0;
  for (let place = 0; place < standings.length; place++) {
    const known = picture.strength(standings[place]!.car.number) ?? 0;
    strengths[place] = Math.min(STRENGTH_MAX, Math.max(-STRENGTH_MAX, known));
    sum += strengths[place]!;
  }
  for (let place = 0; place < standings.length; place++) strengths[place]! -= sum / standings.length;
}

/** A car of which nothing is known is an average one. */
function fillRetirements(standings: readonly Standing[], picture: RacePicture): void {
  let sum = 0;
  let known = 0;
  for (let place = 0; place < standings.length; place++) {
    const hazard = picture.retirement(standings[place]!.car.number) ?? 0;
    const isKnown = hazard > 0 && hazard < 1;
    retirements[place] = isKnown ? hazard : 0;
    if (isKnown) known++;
    sum += retirements[place]!;
  }
  for (let place = 0; place < standings.length; place++) {
    const relative = retirements[place] === 0 ? 1 : (retirements[place]! * known) / sum;
    retirements[place] = Math.min(RETIREMENT_FACTOR_MAX, Math.max(1 / RETIREMENT_FACTOR_MAX, relative));
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
