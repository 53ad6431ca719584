// Whether a measurement reaches what was asked of it: by the median of its rounds.

import { median } from './median.ts';
import type { Measurement } from './result.ts';

/** Null: nothing was asked. */
export function targetMet({ target, better, samples }: Measurement): boolean | null {
  if (target === undefined) return null;
  return better === 'higher' ? median(samples) >= target : median(samples) <= target;
}
