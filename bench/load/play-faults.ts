// The faults of a play, as counters that must all be zero.

import type { Arrivals } from '../receivers/arrival-receiver-process.ts';
import type { PlayRecords } from './play-records.ts';

export type PlayFaults = Readonly<
  Record<
    'lost' | 'doubled' | 'misordered' | 'wronglySigned' | 'unexpected' | 'unrecorded' | 'unaccounted' | 'startedEarly',
    number
  >
>;

/** `deliveries` is what the receiver should have got; `logged`, the attempts to its endpoints in the delivery log. */
export function faultsOf(arrivals: Arrivals, deliveries: number, logged: number, records: PlayRecords): PlayFaults {
  const { distinct, doubled, misordered, wronglySigned, unexpected, requests } = arrivals;
  return {
    lost: deliveries - distinct,
    doubled,
    misordered,
    wronglySigned,
    unexpected,
    unrecorded: records.unrecorded + Math.abs(logged - requests),
    unaccounted: records.unaccounted,
    startedEarly: records.startedEarly,
  };
}

/** The sum over all plays, of which there must be at least one. */
export function sumOfFaults(plays: readonly { readonly faults: PlayFaults }[]): PlayFaults {
  return plays
    .map(({ faults }) => faults)
    .reduce((sum, faults) => {
      const entries = Object.entries(sum).map(([name, count]) => [name, count + faults[name as keyof PlayFaults]]);
      return Object.fromEntries(entries) as PlayFaults;
    });
}
