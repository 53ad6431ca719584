// Who started a race and who finished it. A race result also lists drivers who did neither.

import type { RaceResult } from '#engine/seasons/history/history.ts';

type Classified = Pick<RaceResult, 'classification'>;

/** A driver who was disqualified or ran too few laps to be classified has started. A withdrawn driver has not. */
export function hasStarted({ classification }: Classified): boolean {
  return classification.kind === 'classified' || ['DNF', 'DSQ', 'NC'].includes(classification.reason);
}

/**
 * Only for drivers who started. A disqualified driver almost always reached the finish, and a classified one nearly
 * did.
 */
export function hasRetired({ classification }: Classified): boolean {
  return classification.kind === 'not_classified' && classification.reason !== 'DSQ';
}
