// Which tires a car takes when it stops: rain tires or dry ones by what the others drive on, and among the dry ones a logit
// for each compound. Its numbers are fitted (bench/fit/stops-fit.ts).

import { isWetTire } from './compound-rule.ts';
import { DRY_KINDS, TIRE_KINDS, type TireKind } from './tire-kinds.ts';

export interface TireChoice {
  /** The tires on which the car comes in. */
  readonly from: TireKind;
  readonly owesCompound: boolean;
  /** Part of a full race that is left at the stop. */
  readonly left: number;
  /** The share of the other cars that are on rain tires if this one is not, and the other way round. */
  readonly otherTires: number;
  /** How often each dry kind was taken in this race so far, in the order of DRY_KINDS. */
  readonly taken: readonly number[];
  /** Compounds that this car has used. */
  readonly used: ReadonlySet<TireKind>;
}

export interface NextTireWeights {
  /** Of changing between dry and rain tires, from dry and from rain tires; in the order of changeFeatures. */
  readonly change: { readonly toRain: readonly number[]; readonly toDry: readonly number[] };
  /** Of wet tires among rain tires, from each of TIRE_KINDS. */
  readonly wet: readonly number[];
  /** In the order of dryFeatures. */
  readonly dry: readonly number[];
  /** What a race's first choices count against, for each kind. */
  readonly priorTaken: number;
}

/** Parts of a full race where the lines bend. */
const LEFT_KNOT = 0.4;
/** Each dry kind has so many features of its own: one, the laps left, and where their line bends. */
const OWN_FEATURES = 3;

export function changeFeatures({ otherTires }: Pick<TireChoice, 'otherTires'>): number[] {
  return [1, otherTires];
}

/** Of one dry kind, by its index. */
export function dryFeatures(
  { from, owesCompound, left, taken, used }: TireChoice,
  kind: number,
  prior: number,
): number[] {
  const name = TIRE_KINDS[kind]!;
  const own = DRY_KINDS.flatMap((_, index) => (index === kind ? [1, left, Math.max(0, left - LEFT_KNOT)] : [0, 0, 0]));
  const all = DRY_KINDS.reduce((sum, _, index) => sum + taken[index]! + prior, 0);
  const isSame = name === from;
  return [
    ...own,
    Number(isSame),
    Number(isSame && owesCompound),
    Number(used.has(name) && !isSame),
    Math.log((3 * (taken[kind]! + prior)) / all),
  ];
}

/** The chance of each of TIRE_KINDS, by the part of a full race that is left at the stop. */
export function nextTires(
  known: Omit<TireChoice, 'left'>,
  { change, wet, dry, priorTaken }: NextTireWeights,
): (left: number) => number[] {
  const fromRain = isWetTire(known.from);
  const changes = chanceOf(sumOf(fromRain ? change.toDry : change.toRain, changeFeatures(known)));
  const rain = fromRain ? 1 - changes : changes;
  const wets = wet[TIRE_KINDS.indexOf(known.from)]!;
  const atEnd = DRY_KINDS.map((_, kind) => sumOf(dry, dryFeatures({ ...known, left: 0 }, kind, priorTaken)));
  return (left) => {
    const chances: number[] = [];
    let sum = 0;
    for (const [kind, logit] of atEnd.entries()) {
      const own = OWN_FEATURES * kind;
      const odds = Math.exp(logit + dry[own + 1]! * left + dry[own + 2]! * Math.max(0, left - LEFT_KNOT));
      chances.push(odds);
      sum += odds;
    }
    for (const [kind, odds] of chances.entries()) chances[kind] = ((1 - rain) * odds) / sum;
    chances.push(rain * (1 - wets), rain * wets);
    return chances;
  };
}

function chanceOf(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function sumOf(weights: readonly number[], features: readonly number[]): number {
  return features.reduce((sum, value, index) => sum + value * weights[index]!, 0);
}
