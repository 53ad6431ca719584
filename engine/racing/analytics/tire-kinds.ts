// Compounds by how soft they are in a race. Until 2018 the names said how soft a compound is, of seven; since then they say
// it among the three of a race.

import { isWetTire } from './compound-rule.ts';

/** Tires as the models of stops tell them apart. Dry ones first. */
export const TIRE_KINDS = ['SOFT', 'MEDIUM', 'HARD', 'INTERMEDIATE', 'WET'] as const;
export type TireKind = (typeof TIRE_KINDS)[number];
export const DRY_KINDS = TIRE_KINDS.slice(0, 3);

/** The softest first. */
const NAMES = ['HYPERSOFT', 'ULTRASOFT', 'SUPERSOFT', 'SOFT', 'MEDIUM', 'HARD'];
const OLD_NAMES = NAMES.slice(0, 3);

export interface TireNames {
  /** Null: not known. */
  kindOf(compound: string | null): TireKind | null;
  /** Null: nobody has used it, so its name is not known. */
  nameOf(kind: TireKind): string | null;
}

/** `seen`: the names of the compounds that cars of the race have used. */
export function tireNames(seen: ReadonlySet<string | null>): TireNames {
  if (!OLD_NAMES.some((name) => seen.has(name)))
    return { kindOf: (compound) => TIRE_KINDS.find((kind) => kind === compound) ?? null, nameOf: (kind) => kind };
  const dry = NAMES.filter((name) => seen.has(name));
  return {
    kindOf: (compound) => {
      if (isWetTire(compound)) return compound as TireKind;
      const place = dry.indexOf(compound ?? '');
      return DRY_KINDS[Math.min(place, DRY_KINDS.length - 1)] ?? null;
    },
    nameOf: (kind) => (isWetTire(kind) ? kind : (dry[DRY_KINDS.indexOf(kind)] ?? null)),
  };
}
