// The race odds: the distribution over finishing positions of the cars still racing.
//
// A car's remaining time is its gap, its pace over the laps left, its stops to come, and a fixed time for each car
// ahead that it would have to pass on the track. That last part is why orders tend to last. The deviation grows with
// the laps left (pace is uncertain) and with their square root (single laps scatter). One scenario has a safety car:
// gaps close up, half the laps left are raced, and stops cost less. With the safety car already out, or under a red
// flag, gaps close up at once and that scenario is certain. Each car retires with the same chance. race-field.ts names
// the sources of its figures.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { NormalTimes } from './normal-times.ts';
import { ODDS_SETTINGS, type OddsSettings } from './odds-settings.ts';
import { LAP_DEVIATION_SECONDS } from './passing.ts';
import { PositionDistribution, type Scenario } from './position-distribution.ts';
import type { Standing } from './race-car.ts';
import { type FieldPaces, fillPaces, type RaceField, raceField } from './race-field.ts';
import type { RacePicture } from './race-picture.ts';
import { NO_REASONS, runningFraction, safetyCarChance, safetyCarHazard } from './safety-car-hazard.ts';

/** Scatter of single stops. An assumption. */
const STOP_DEVIATION_SECONDS = 3;
/** With a safety car: the gap from car to car, the cost of a stop as a fraction, and the deviation due to luck. */
const TRAIN_SECONDS = 1.2;
const CHEAP_STOP = 0.5;
const SAFETY_CAR_LUCK_SECONDS = 4;
const LUCK_LAPS = 5;
/** A safety car that is out stays out for this many more laps. An assumption. */
const SAFETY_CAR_LAPS = 2;
/** Retirements per car on the first lap. From 2018 to 2021 (f1db). */
const FIRST_LAP_RETIREMENTS = 0.022;

export interface Odds {
  readonly lapsLeft: number;
  /** The laps of a full-length race. */
  readonly fullLaps: number;
  /** The cars still racing, the leader first. */
  readonly standings: readonly Standing[];
  /** The chance that the car at that index finishes in the position (from 1). */
  chance(index: number, position: number): number;
  /** The chance that the car at `index` finishes ahead of the car at `other`. */
  beats(index: number, other: number): number;
  /** The chance that the car at that index retires. */
  retirement(index: number): number;
  /** The ways in which the race may continue. */
  readonly scenarios: readonly RaceScenario[];
  /** What the times of the scenarios charge for each car ahead. */
  readonly passSeconds: number;
}

/** What the odds are made from. */
export interface RaceSituation {
  readonly field: RaceField;
  readonly isFirstLap: boolean;
  /** Whether the cars are lined up, behind the safety car or for a restart. */
  readonly isBunchedUp: boolean;
  /** The chance of a safety car until the end. */
  readonly safetyCar: number;
}

export interface RaceScenario extends Scenario {
  readonly times: NormalTimes;
  readonly retirement: Float64Array;
}

/** Reuses its arrays: each call of `make` overwrites the odds returned before. */
export class OddsMaker {
  readonly #distribution = new PositionDistribution(DRIVERS_MAX);
  readonly #greenTimes = new NormalTimes(DRIVERS_MAX);
  readonly #safetyCarTimes = new NormalTimes(DRIVERS_MAX);
  readonly #paces = { seconds: new Float64Array(DRIVERS_MAX), deviation: new Float64Array(DRIVERS_MAX) };
  readonly #settings: OddsSettings;
  readonly #retirement = new Float64Array(DRIVERS_MAX);
  #odds: Odds | null = null;

  constructor(settings: OddsSettings = ODDS_SETTINGS) {
    this.#settings = settings;
  }

  /** The latest odds. Null while there is not enough data. */
  get odds(): Odds | null {
    return this.#odds;
  }

  make(picture: RacePicture): Odds | null {
    const situation = situationOf(picture);
    return situation === null ? this.#none() : this.oddsOf(situation);
  }

  oddsOf(situation: RaceSituation): Odds {
    const { field, isFirstLap, isBunchedUp, safetyCar } = situation;
    const { standings, lapsLeft } = field;
    const settings = this.#settings;
    const retirement = this.#retirement;
    fillRetirement(field, settings, isFirstLap, retirement);
    fillPaces(field, settings, this.#paces);
    fillGreenTimes(field, this.#paces, settings, this.#greenTimes);
    fillSafetyCarTimes(field, this.#paces, settings, isBunchedUp, this.#safetyCarTimes);
    const scenarios = [
      { chance: 1 - safetyCar, retirement, times: this.#greenTimes },
      { chance: safetyCar, retirement, times: this.#safetyCarTimes },
    ];
    this.#distribution.compute(standings.length, scenarios);
    this.#odds = {
      lapsLeft,
      fullLaps: field.fullLaps,
      standings,
      retirement: (index) => retirement[index]!,
      scenarios,
      passSeconds: passSecondsOf(field, settings),
      chance: (index, position) => this.#distribution.chance(index, position),
      beats: (index, other) => chanceToBeat(index, other, scenarios),
    };
    return this.#odds;
  }

  #none(): null {
    this.#odds = null;
    return null;
  }
}

/** Null while there is not enough data. The next call overwrites the field. */
export function situationOf(picture: RacePicture): RaceSituation | null {
  const field = raceField(picture);
  if (field === null) return null;
  const isFirstLap = picture.lap === 1 && field.lapsLeft > 0;
  return { field, isFirstLap, isBunchedUp: isBunched(picture), safetyCar: chanceOfSafetyCar(picture, field) };
}

/** If both retire, each is equally likely to be classified ahead. */
function chanceToBeat(index: number, other: number, scenarios: readonly RaceScenario[]): number {
  let sum = 0;
  for (const { chance, retirement, times } of scenarios) {
    const [own, theirs] = [retirement[index]!, retirement[other]!];
    const both = (1 - own) * (1 - theirs) * times.chanceToBeat(index, other);
    sum += chance * (both + (1 - own) * theirs + (own * theirs) / 2);
  }
  return sum;
}

function fillRetirement(
  { standings, lapsLeft, fullLaps, retirements }: RaceField,
  { retirementsPerRace, retirementPower }: OddsSettings,
  isFirstLap: boolean,
  retirement: Float64Array,
): void {
  const usual = (retirementsPerRace * lapsLeft) / fullLaps + (isFirstLap ? FIRST_LAP_RETIREMENTS : 0);
  for (let place = 0; place < standings.length; place++) {
    retirement[place] = 1 - Math.exp(-usual * retirements[place]! ** retirementPower);
  }
}

function isBunched({ trackStatus }: RacePicture): boolean {
  return trackStatus === 'safety_car' || trackStatus === 'red_flag';
}

function chanceOfSafetyCar(picture: RacePicture, { standings, lapsLeft, fullLaps }: RaceField): number {
  if (lapsLeft === 0) return 0;
  if (isBunched(picture)) return 1;
  const hazard = safetyCarHazard(picture.lap!, fullLaps, runningFraction(picture, standings.length), NO_REASONS);
  return safetyCarChance(hazard, lapsLeft);
}

function fillGreenTimes(field: RaceField, paces: FieldPaces, settings: OddsSettings, times: NormalTimes): void {
  for (let place = 0; place < field.standings.length; place++) {
    setRemainingTime(
      field,
      paces,
      settings,
      place,
      { gapSeconds: field.gapSeconds[place]!, laps: field.lapsLeft, stopCost: 1, luckSeconds: 0 },
      times,
    );
  }
}

/** `now`: the field is bunched up already. Otherwise the safety car comes later, on average halfway to the end. */
function fillSafetyCarTimes(
  field: RaceField,
  paces: FieldPaces,
  settings: OddsSettings,
  now: boolean,
  times: NormalTimes,
): void {
  const laps = now ? Math.max(0, field.lapsLeft - SAFETY_CAR_LAPS) : field.lapsLeft / 2;
  const stopCost = now ? 1 : (1 + CHEAP_STOP) / 2;
  const luckSeconds = SAFETY_CAR_LUCK_SECONDS * Math.min(1, laps / LUCK_LAPS);
  for (let place = 0; place < field.standings.length; place++) {
    setRemainingTime(
      field,
      paces,
      settings,
      place,
      { gapSeconds: place * TRAIN_SECONDS, laps, stopCost, luckSeconds },
      times,
    );
  }
}

/** What a car loses for each car that it has to pass, at this circuit. */
function passSecondsOf(field: RaceField, { passSeconds, passEase }: OddsSettings): number {
  return passSeconds * Math.exp(-passEase * field.passEase);
}

interface RestOfRace {
  readonly gapSeconds: number;
  /** Laps of free racing. */
  readonly laps: number;
  readonly stopCost: number;
  readonly luckSeconds: number;
}

function setRemainingTime(
  field: RaceField,
  paces: FieldPaces,
  settings: OddsSettings,
  place: number,
  { gapSeconds, laps, stopCost, luckSeconds }: RestOfRace,
  times: NormalTimes,
): void {
  const stops = field.stops[place]!;
  const uncertainStops = (stops % 1) * (1 - (stops % 1));
  const stopSeconds = settings.stopSeconds * stopCost * field.stopPart;
  const passSeconds = passSecondsOf(field, settings);
  times.meanSeconds[place] = gapSeconds + place * passSeconds + paces.seconds[place]! * laps + stops * stopSeconds;
  times.deviationSeconds[place] = Math.sqrt(
    (paces.deviation[place]! ** 2 + settings.paceChangeSeconds ** 2) * laps ** 2 +
      LAP_DEVIATION_SECONDS ** 2 * laps +
      uncertainStops * stopSeconds ** 2 +
      stops * STOP_DEVIATION_SECONDS ** 2 +
      luckSeconds ** 2,
  );
}
