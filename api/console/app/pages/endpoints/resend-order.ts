// What of a session or a replay shall be sent again, as a form keeps it.

import type { ResendOrder } from '#api/client/calls.ts';

export interface Gap {
  /** Which session or replay, by the name that the form gives it. */
  readonly source: string;
  readonly outcome: '' | 'failed' | 'skipped';
  /** A sequence or a time; empty: from the beginning. */
  readonly since: string;
}

export const NO_GAP: Gap = { source: '', outcome: '', since: '' };

export function gapOrder({ outcome, since }: Gap, source: ResendOrder): ResendOrder {
  const from = since.trim();
  return {
    ...source,
    ...(outcome !== '' && { outcome }),
    ...(from !== '' && { since: /^\d+$/.test(from) ? Number(from) : from }),
  };
}
