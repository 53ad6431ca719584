// The chance that a car stops for tires on a lap: a logit of its tires, of the laps left, of what it still has to do, of
// the track and of the field. Its numbers are fitted (bench/fit/stops-fit.ts).
//
// The logit is a sum of parts, each of few whole numbers: the age of the tires, the laps left, and how old the tires would
// be at the end. So each part has a table, made once for a race, and a lap costs three look-ups.

import { isWetTire } from './compound-rule.ts';
import { TIRE_KINDS, type TireKind } from './tire-kinds.ts';

/** What is known as a lap begins. */
export interface StopLap {
  readonly kind: TireKind;
  /** Laps on the tires. */
  readonly ageLaps: number;
  /** Laps left, with the one that begins, and those of a full race. */
  readonly lapsLeft: number;
  readonly fullLaps: number;
  readonly owesCompound: boolean;
  readonly stopsDone: number;
  readonly moment: StopMoment;
}

/** What holds on the lap that begins, and need not hold later. */
export interface StopMoment {
  /** The share of the other cars that are on rain tires if this one is not, and the other way round. */
  readonly otherTires: number;
  /** The share of the cars that came in on the latest lap. */
  readonly stopping: number;
  readonly safetyCar: boolean;
  readonly virtualSafetyCar: boolean;
}

export interface StopWeights {
  /** Of the lap that begins, in the order of stopFeatures. */
  readonly now: readonly number[];
  /** Of laps to come, in the order of laterFeatures. */
  readonly later: readonly number[];
  /** By name of the event: effect on both in logits. */
  readonly circuits: Readonly<Record<string, readonly number[]>>;
}

/** Parts of a full race where the lines bend. */
const AGE_KNOTS = [0.1, 0.2, 0.3, 0.4];
const WET_AGE_KNOTS = [0.1, 0.25];
const LEFT_KNOTS = [0.05, 0.1, 0.2, 0.4];
const RAIN_LEFT_KNOTS = [0.4];
const STINT_KNOTS = [0.3, 0.4, 0.5];
const STOPS_TOLD = 3;
/** From this share of the field on, the track is drying, or wet. */
const MOST = 0.4;

export function stopFeatures(lap: StopLap): number[] {
  const features = laterFeatures(lap);
  addPassing(features, lap.moment, lap.owesCompound, lap.ageLaps / lap.fullLaps);
  return features;
}

/** Without what passes. */
export function laterFeatures({
  kind,
  ageLaps,
  lapsLeft,
  fullLaps,
  owesCompound,
  stopsDone,
  moment,
}: StopLap): number[] {
  const features: number[] = [];
  addAge(features, kind, ageLaps / fullLaps);
  addLeft(features, kind, lapsLeft / fullLaps, owesCompound);
  addStint(features, kind, (ageLaps + lapsLeft) / fullLaps, owesCompound);
  addDone(features, stopsDone);
  addLasting(features, kind, moment.otherTires);
  return features;
}

// Each part adds its features to the list, zeros where it does not hold. Lists of their own for every part cost more than
// the sums: a field needs twenty at every moment of a race.

function addAge(features: number[], kind: TireKind, age: number): void {
  const isWet = isWetTire(kind);
  addBent(features, !isWet, age, AGE_KNOTS);
  addBent(features, isWet, age, WET_AGE_KNOTS);
  for (const one of TIRE_KINDS) features.push(Number(one === kind));
  features.push(kind === 'SOFT' ? age : 0, kind === 'HARD' ? age : 0);
}

function addLeft(features: number[], kind: TireKind, left: number, owes: boolean): void {
  const isWet = isWetTire(kind);
  features.push(owes ? 1 : 0);
  addBent(features, owes, left, LEFT_KNOTS);
  addBent(features, !owes && !isWet, left, LEFT_KNOTS);
  addBent(features, isWet, left, RAIN_LEFT_KNOTS);
}

/** How old the tires would be at the end matters to a car that need not stop. */
function addStint(features: number[], kind: TireKind, stint: number, owes: boolean): void {
  const isFree = !owes && !isWetTire(kind);
  addBent(features, isFree, stint, STINT_KNOTS);
  for (const one of ['SOFT', 'HARD']) {
    const holds = isFree && kind === one;
    features.push(holds ? 1 : 0, holds ? stint : 0);
  }
}

function addDone(features: number[], stops: number): void {
  for (let told = 1; told <= STOPS_TOLD; told++) features.push(Number(Math.min(stops, STOPS_TOLD) === told));
}

/** The weather lasts. */
function addLasting(features: number[], kind: TireKind, otherTires: number): void {
  const isWet = isWetTire(kind);
  const most = Number(otherTires > MOST);
  features.push(isWet ? otherTires : 0, isWet ? most : 0, isWet ? 0 : otherTires, isWet ? 0 : most);
}

/** Neutralised laps pass. */
function addPassing(
  features: number[],
  { stopping, safetyCar, virtualSafetyCar }: StopMoment,
  owes: boolean,
  age: number,
): void {
  features.push(stopping, Number(virtualSafetyCar));
  features.push(safetyCar ? 1 : 0, safetyCar ? Number(owes) : 0, safetyCar ? Math.min(1, 5 * age) : 0);
}

/** A line that bends at each knot. */
function addBent(features: number[], holds: boolean, value: number, knots: readonly number[]): void {
  features.push(holds ? value : 0);
  for (const knot of knots) features.push(holds ? Math.max(0, value - knot) : 0);
}

function listed(add: (features: number[]) => void): number[] {
  const features: number[] = [];
  add(features);
  return features;
}

const PARTS = [
  listed((features) => addAge(features, 'SOFT', 0)).length,
  listed((features) => addLeft(features, 'SOFT', 0, false)).length,
  listed((features) => addStint(features, 'SOFT', 0, false)).length,
  STOPS_TOLD,
  listed((features) => addLasting(features, 'SOFT', 0)).length,
];

/** Odds of a stop by lap in one race, on laps to come. */
export class StopHazard {
  readonly #age: readonly Float64Array[];
  readonly #owing: readonly Float64Array[];
  readonly #free: readonly Float64Array[];
  readonly #stint: readonly Float64Array[];
  readonly #done: readonly number[];
  readonly #lasting: readonly number[];
  readonly #circuit: number;

  /** `circuit`: its effect in logits. */
  constructor(weights: readonly number[], circuit: number, totalLaps: number, fullLaps: number) {
    const ends = PARTS.map((_, index) => PARTS.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
    const part = (index: number) => weights.slice(ends[index - 1] ?? 0, ends[index]);
    const oddsOf = (own: readonly number[], add: (features: number[]) => void) => Math.exp(sumOf(own, listed(add)));
    const table = (
      own: readonly number[],
      laps: number,
      add: (features: number[], kind: TireKind, share: number) => void,
    ) =>
      TIRE_KINDS.map((kind) =>
        Float64Array.from({ length: laps + 1 }, (_, lap) =>
          oddsOf(own, (features) => add(features, kind, lap / fullLaps)),
        ),
      );
    this.#age = table(part(0), fullLaps, addAge);
    this.#owing = table(part(1), totalLaps, (features, kind, left) => addLeft(features, kind, left, true));
    this.#free = table(part(1), totalLaps, (features, kind, left) => addLeft(features, kind, left, false));
    this.#stint = table(part(2), fullLaps + totalLaps, (features, kind, stint) =>
      addStint(features, kind, stint, false),
    );
    this.#done = Array.from({ length: STOPS_TOLD + 1 }, (_, stops) =>
      oddsOf(part(3), (features) => addDone(features, stops)),
    );
    this.#lasting = part(4);
    this.#circuit = Math.exp(circuit);
  }

  /** What does not change from lap to lap of a stint. `endAge`: of the tires at the end of the race. */
  stintOdds(kind: number, endAge: number, owes: boolean, stopsDone: number, otherTires: number): number {
    const stint = owes ? 1 : at(this.#stint[kind]!, endAge);
    const lasting = Math.exp(
      sumOf(
        this.#lasting,
        listed((features) => addLasting(features, TIRE_KINDS[kind]!, otherTires)),
      ),
    );
    return this.#circuit * stint * this.#done[Math.min(stopsDone, STOPS_TOLD)]! * lasting;
  }

  /** What does. */
  lapOdds(kind: number, ageLaps: number, lapsLeft: number, owes: boolean): number {
    return at(this.#age[kind]!, ageLaps) * at((owes ? this.#owing : this.#free)[kind]!, lapsLeft);
  }
}

/** The odds of a stop on the lap that begins. `circuit`: its effect in logits. */
export function stopOdds(weights: readonly number[], circuit: number, lap: StopLap): number {
  return Math.exp(circuit + sumOf(weights, stopFeatures(lap)));
}

/** Beyond the table its last value holds. */
function at(table: Float64Array, index: number): number {
  return table[Math.min(Math.max(0, index), table.length - 1)]!;
}

function sumOf(weights: readonly number[], features: readonly number[]): number {
  return features.reduce((sum, value, index) => sum + value * weights[index]!, 0);
}
