// Columns of plots from entries of the delivery log: how attempts ended, how long they took, and how late they were.

import type { DeliveryLogEntry } from '#api/client/calls.ts';

/** The entries of one stretch of time. */
export interface Stretch {
  /** Its beginning, in seconds since 1970. */
  readonly atS: number;
  readonly delivered: number;
  readonly failed: number;
  /** Of the attempts that were answered with a 2xx, in ms; null without one. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** The median lag in ms; null if no entry has one. */
  readonly lag: number | null;
}

/** Bars of a plot, at most. */
const STRETCHES_MAX = 60;
/** Lengths of a stretch, in seconds: round ones, so that bars begin at round times. */
const LENGTHS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 604_800];

/** In order of time, with empty stretches between, so that a pause is seen as one. */
export function stretchesOf(entries: readonly DeliveryLogEntry[]): readonly Stretch[] {
  if (entries.length === 0) return [];
  const times = entries.map(({ createdAt }) => Date.parse(createdAt) / 1000);
  const first = times.reduce((least, at) => Math.min(least, at));
  const last = times.reduce((most, at) => Math.max(most, at));
  const lengthS = LENGTHS_S.find((length) => (last - first) / length < STRETCHES_MAX - 1) ?? LENGTHS_S.at(-1)!;
  const begin = Math.floor(first / lengthS) * lengthS;
  const count = Math.min(STRETCHES_MAX, Math.floor((last - begin) / lengthS) + 1);
  const members = Array.from({ length: count }, (): DeliveryLogEntry[] => []);
  for (const [index, entry] of entries.entries())
    members[Math.min(count - 1, Math.floor((times[index]! - begin) / lengthS))]!.push(entry);
  return members.map((those, index) => stretch(begin + index * lengthS, those));
}

function stretch(atS: number, entries: readonly DeliveryLogEntry[]): Stretch {
  const delivered = entries.filter(({ outcome }) => outcome === 'delivered');
  const latencies = sorted(delivered.map(({ latencyMs }) => latencyMs));
  const lags = sorted(entries.flatMap(({ lagMs }) => (lagMs === null ? [] : [lagMs])));
  return {
    atS,
    delivered: delivered.length,
    failed: entries.length - delivered.length,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    lag: quantile(lags, 0.5),
  };
}

export interface LogTotals {
  readonly attempts: number;
  readonly delivered: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly lag: number | null;
}

export function totalsOf(entries: readonly DeliveryLogEntry[]): LogTotals {
  const { delivered, failed, p50, p95, p99, lag } = stretch(0, entries);
  return { attempts: delivered + failed, delivered, p50, p95, p99, lag };
}

/** The least value that is not below this share of them. */
function quantile(rising: readonly number[], share: number): number | null {
  return rising.length === 0 ? null : rising[Math.max(0, Math.ceil(share * rising.length) - 1)]!;
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b);
}
