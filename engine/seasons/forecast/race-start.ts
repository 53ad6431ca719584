// Who took part in a race and who saw its end: not everybody in its result did.

import type { RaceResult } from '#engine/seasons/history/history.ts';

type Classified = Pick<RaceResult, 'classification'>;

/** Those who were disqualified or ran too few laps to be classified have started; those who were withdrawn have not. */
export function hasStarted({ classification }: Classified): boolean {
  return classification.kind === 'classified' || ['DNF', 'DSQ', 'NC'].includes(classification.reason);
}

/** Of those who started. Whoever was disqualified has seen the end, nearly always; whoever is classified had as good as seen it. */
export function hasRetired({ classification }: Classified): boolean {
  return classification.kind === 'not_classified' && classification.reason !== 'DSQ';
}
