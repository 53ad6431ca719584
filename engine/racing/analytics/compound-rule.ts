// The tire rule: in a full-length dry race a car must use two dry compounds. A car that has used intermediate or wet
// tires, or runs in a sprint, is exempt.

import type { Car } from './race-car.ts';

export function isWetTire(compound: string | null): boolean {
  return compound === 'INTERMEDIATE' || compound === 'WET';
}

/** Compounds used so far, in order. */
export function compoundsUsed({ stints }: Car): string[] {
  return [...new Set(stints.flatMap(({ compound }) => (compound === null ? [] : [compound])))];
}

/** Whether the car must still use another compound. Null: its tires are not known. */
export function owesCompound(car: Car, { isSprint }: { readonly isSprint: boolean }): boolean | null {
  if (isSprint) return false;
  let used: string | null = null;
  for (const { compound } of car.stints) {
    if (compound === null) continue;
    if (used !== null && compound !== used) return false;
    used = compound;
  }
  return used === null ? null : !isWetTire(used);
}
