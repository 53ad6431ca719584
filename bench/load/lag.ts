// Lag: from when an update is due by the run's clock to when the receiver has read all of it.

import type { Arrivals, Expected } from '../receivers/arrival-receiver-process.ts';
import type { Series } from '../suite/result.ts';

/** The lags of all deliveries that arrived, one array element each. */
export interface Lag {
  /** When the update was due, since the first update was due. */
  readonly dueMs: Float64Array;
  readonly lagMs: Float64Array;
}

/** Lags in the order of the updates. `dueAtMs` takes a position, which is sequence - 1. */
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

/** A note on the precision of lags. */
export function clockNote(agreementMs: number): string {
  return (
    `the clocks of engine and receiver agree to within ${agreementMs.toFixed(2)} ms; the engine starts a run on a whole ` +
    'millisecond, which accounts for up to 1 ms of every lag'
  );
}

/** Lags of updates due before `splitMs`, and of the others, each in ascending order. */
export function splitAt({ dueMs, lagMs }: Lag, splitMs: number): [before: Float64Array, after: Float64Array] {
  const found = dueMs.findIndex((due) => due >= splitMs);
  const split = found === -1 ? dueMs.length : found;
  return [lagMs.slice(0, split).sort(), lagMs.slice(split).sort()];
}

/** Lags of updates due in this span, in ascending order. */
export function lagsBetween({ dueMs, lagMs }: Lag, fromMs: number, toMs: number): Float64Array {
  return lagMs.filter((_, index) => dueMs[index]! >= fromMs && dueMs[index]! < toMs).sort();
}

/** How many updates arrived in this span, since the first update was due. */
export function arrivedBetween({ dueMs, lagMs }: Lag, fromMs: number, toMs: number): number {
  let arrived = 0;
  for (const [index, due] of dueMs.entries()) {
    const arrivedMs = due + lagMs[index]!;
    if (arrivedMs >= fromMs && arrivedMs < toMs) arrived++;
  }
  return arrived;
}

/** The largest lag in each of `bins` equal parts of the play; x is in seconds. */
export function largestOverTime(name: string, { dueMs, lagMs }: Lag, bins: number): Series {
  const binMs = ((dueMs.at(-1) ?? 0) + 1) / bins;
  const y: (number | null)[] = Array.from({ length: bins }, () => null);
  for (const [index, due] of dueMs.entries()) {
    const bin = Math.floor(due / binMs);
    y[bin] = Math.max(y[bin] ?? 0, lagMs[index]!);
  }
  return { name, x: y.map((_, bin) => ((bin + 0.5) * binMs) / 1_000), y };
}
