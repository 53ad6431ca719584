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
const STINT_KNOTS = [0.3, 0.4, 0.5];
const STOPS_TOLD = 3;
/** From this share of the field on, the track is drying, or wet. */
const MOST = 0.4;

export function stopFeatures(lap: StopLap): number[] {
  return [...laterFeatures(lap), ...passingFeatures(lap.moment, lap.owesCompound, lap.ageLaps / lap.fullLaps)];
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
  return [
    ...ageFeatures(kind, ageLaps / fullLaps),
    ...leftFeatures(kind, lapsLeft / fullLaps, owesCompound),
    ...stintFeatures(kind, (ageLaps + lapsLeft) / fullLaps, owesCompound),
    ...doneFeatures(stopsDone),
    ...lastingFeatures(kind, moment.otherTires),
  ];
}

function ageFeatures(kind: TireKind, age: number): number[] {
  const isWet = isWetTire(kind);
  return [
    ...only(!isWet, bent(age, AGE_KNOTS)),
    ...only(isWet, bent(age, WET_AGE_KNOTS)),
    ...TIRE_KINDS.map((one) => Number(one === kind)),
    kind === 'SOFT' ? age : 0,
    kind === 'HARD' ? age : 0,
  ];
}

function leftFeatures(kind: TireKind, left: number, owes: boolean): number[] {
  const isWet = isWetTire(kind);
  return [
    ...only(owes, [1, ...bent(left, LEFT_KNOTS)]),
    ...only(!owes && !isWet, bent(left, LEFT_KNOTS)),
    ...only(isWet, bent(left, [MOST])),
  ];
}

/** How old the tires would be at the end matters to a car that need not stop. */
function stintFeatures(kind: TireKind, stint: number, owes: boolean): number[] {
  const isFree = !owes && !isWetTire(kind);
  return [
    ...only(isFree, bent(stint, STINT_KNOTS)),
    ...only(isFree && kind === 'SOFT', [1, stint]),
    ...only(isFree && kind === 'HARD', [1, stint]),
  ];
}

function doneFeatures(stops: number): number[] {
  return Array.from({ length: STOPS_TOLD }, (_, index) => Number(Math.min(stops, STOPS_TOLD) === index + 1));
}

/** The weather lasts. */
function lastingFeatures(kind: TireKind, otherTires: number): number[] {
  const share = [otherTires, Number(otherTires > MOST)];
  return [...only(isWetTire(kind), share), ...only(!isWetTire(kind), share)];
}

/** Neutralised laps pass. */
function passingFeatures({ stopping, safetyCar, virtualSafetyCar }: StopMoment, owes: boolean, age: number): number[] {
  return [stopping, Number(virtualSafetyCar), ...only(safetyCar, [1, Number(owes), Math.min(1, 5 * age)])];
}

/** A line that bends at each knot. */
function bent(value: number, knots: readonly number[]): number[] {
  return [value, ...knots.map((knot) => Math.max(0, value - knot))];
}

function only(holds: boolean, features: number[]): number[] {
  return holds ? features : features.map(() => 0);
}

const PARTS = [
  ageFeatures('SOFT', 0).length,
  leftFeatures('SOFT', 0, false).length,
  stintFeatures('SOFT', 0, false).length,
  STOPS_TOLD,
  lastingFeatures('SOFT', 0).length,
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
    const table = (own: readonly number[], laps: number, features: (kind: TireKind, share: number) => number[]) =>
      TIRE_KINDS.map((kind) =>
        Float64Array.from({ length: laps + 1 }, (_, lap) => Math.exp(sumOf(own, features(kind, lap / fullLaps)))),
      );
    this.#age = table(part(0), fullLaps, ageFeatures);
    this.#owing = table(part(1), totalLaps, (kind, left) => leftFeatures(kind, left, true));
    this.#free = table(part(1), totalLaps, (kind, left) => leftFeatures(kind, left, false));
    this.#stint = table(part(2), fullLaps + totalLaps, (kind, stint) => stintFeatures(kind, stint, false));
    this.#done = Array.from({ length: STOPS_TOLD + 1 }, (_, stops) => Math.exp(sumOf(part(3), doneFeatures(stops))));
    this.#lasting = part(4);
    this.#circuit = Math.exp(circuit);
  }

  /** What does not change from lap to lap of a stint. `endAge`: of the tires at the end of the race. */
  stintOdds(kind: number, endAge: number, owes: boolean, stopsDone: number, otherTires: number): number {
    const stint = owes ? 1 : at(this.#stint[kind]!, endAge);
    const lasting = Math.exp(sumOf(this.#lasting, lastingFeatures(TIRE_KINDS[kind]!, otherTires)));
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
