// How late deliveries arrived: from the moment at which the update was due by the run's clock to the moment at which
// the receiver had the whole request.

import type { Arrivals, Expected } from '../receivers/arrival-receiver-process.ts';
import type { Series } from '../suite/result.ts';

/** One delivery that arrived. */
export interface Lag {
  /** Since the first update was due. */
  readonly dueMs: Float64Array;
  readonly lagMs: Float64Array;
}

/** Of all deliveries that arrived, in the order of their updates. `dueAtMs` takes a position: sequence - 1. */
export function lagsOf(
  { atMs }: Arrivals,
  { secrets, first, updates }: Expected,
  dueAtMs: (position: number) => number,
): Lag {
  const dueMs = new Float64Array(atMs.length);
  const lagMs = new Float64Array(atMs.length);
  const beginsMs = dueAtMs(first - 1);
  let arrived = 0;
  for (let update = 0; update < updates; update++) {
    const dueThenMs = dueAtMs(first - 1 + update);
    for (let endpoint = 0; endpoint < secrets.length; endpoint++) {
      const arrivedMs = atMs[endpoint * updates + update]!;
      if (arrivedMs === 0) continue;
      dueMs[arrived] = dueThenMs - beginsMs;
      lagMs[arrived] = arrivedMs - dueThenMs;
      arrived++;
    }
  }
  return { dueMs: dueMs.subarray(0, arrived), lagMs: lagMs.subarray(0, arrived) };
}

/** What a reader must know of every lag. */
export function clockNote(agreementMs: number): string {
  return (
    `the clocks of engine and receiver agree to within ${agreementMs.toFixed(2)} ms; the engine takes the start of a ` +
    'run off a clock of whole milliseconds, so up to 1 ms of every lag is that'
  );
}

/** Lags of updates that were due before `splitMs` and of the others, each rising. */
export function splitAt({ dueMs, lagMs }: Lag, splitMs: number): [before: Float64Array, after: Float64Array] {
  const found = dueMs.findIndex((due) => due >= splitMs);
  const split = found === -1 ? dueMs.length : found;
  return [lagMs.slice(0, split).sort(), lagMs.slice(split).sort()];
}

/** The largest lag in each of `bins` equal parts of the play, over its seconds. */
export function largestOverTime(name: string, { dueMs, lagMs }: Lag, bins: number): Series {
  const binMs = ((dueMs.at(-1) ?? 0) + 1) / bins;
  const y: (number | null)[] = Array.from({ length: bins }, () => null);
  for (const [index, due] of dueMs.entries()) {
    const bin = Math.floor(due / binMs);
    y[bin] = Math.max(y[bin] ?? 0, lagMs[index]!);
  }
  return { name, x: y.map((_, bin) => ((bin + 0.5) * binMs) / 1_000), y };
}
