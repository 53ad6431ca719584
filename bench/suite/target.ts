// Whether the median of a measurement meets its target.

import { median } from '#engine/base/median.ts';
import type { Measurement } from './result.ts';

/** Null if there is no target. */
export function targetMet({ target, better, samples }: Measurement): boolean | null {
  if (target === undefined) return null;
  return better === 'higher' ? median(samples) >= target : median(samples) <= target;
}
