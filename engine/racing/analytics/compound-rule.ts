// What the rules ask of a car's tires: in a full dry race two dry compounds; who has driven on tires for rain owes nothing.

import type { Car } from './race-car.ts';

export function isWetTire(compound: string | null): boolean {
  return compound === 'INTERMEDIATE' || compound === 'WET';
}

/** Compounds driven so far, in order. */
export function compoundsUsed({ stints }: Car): string[] {
  return [...new Set(stints.flatMap(({ compound }) => (compound === null ? [] : [compound])))];
}

/** Whether the car has to use another compound still; null: its tires are not told. */
export function owesCompound(car: Car, { isSprint }: { readonly isSprint: boolean }): boolean | null {
  const used = compoundsUsed(car);
  if (isSprint) return false;
  return used.length === 0 ? null : used.length === 1 && !used.some(isWetTire);
}
