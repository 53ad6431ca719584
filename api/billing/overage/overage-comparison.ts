// Compares what was reported of a month with what the provider has counted. The provider counts late, so less than was
// reported says nothing until everything has had time to arrive (`settled`). More says something at once.

import type { OverageDifference } from './overage-store.ts';

export interface Compared {
  /** What the provider has accepted. */
  readonly reported: number;
  /** The block that a request may have counted already; 0: none. */
  readonly trying: number;
  readonly counted: number;
  readonly settled: boolean;
}

export interface Comparison {
  readonly difference: OverageDifference | null;
  /** Whether the provider's sum holds all that it has accepted. */
  readonly confirms: boolean;
  /** What became of the block that a request may have counted. */
  readonly tried: 'counted' | 'not_counted' | 'unknown';
}

export function compare({ reported, trying, counted, settled }: Compared): Comparison {
  if (counted > reported + trying) return { difference: 'provider_more', confirms: false, tried: 'unknown' };
  if (trying > 0 && counted === reported + trying) return { difference: null, confirms: true, tried: 'counted' };
  // Before that, the sum could hold the tried block instead of an accepted one of the same size.
  if (counted === reported)
    return { difference: null, confirms: settled || trying === 0, tried: settled ? 'not_counted' : 'unknown' };
  const difference = counted > reported ? 'provider_more' : 'provider_less';
  return { difference: settled ? difference : null, confirms: false, tried: 'unknown' };
}
