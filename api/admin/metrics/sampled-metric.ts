// Metrics whose values are read from shared memory at each scrape. The library's own metrics would count inside the
// library, on one thread.

import type { Metric } from 'prom-client';
import type { Histogram } from '#engine/delivery/meter/histogram.ts';

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

interface Value {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

export const NO_LABELS: Labels = {};

export function counter(name: string, help: string, read: () => readonly Sample[]): Metric {
  return metric(name, help, 'counter', () => read().map(([labels, value]) => ({ labels, value })));
}

export function gauge(name: string, help: string, read: () => readonly Sample[]): Metric {
  return metric(name, help, 'gauge', () => read().map(([labels, value]) => ({ labels, value })));
}

/**
 * Merges several threads' histograms with the same bounds. `unit`: counted units per exported unit, 1,000 from ms to s.
 */
export function histogram(
  name: string,
  help: string,
  unit: number,
  read: () => readonly (readonly [labels: Labels, parts: readonly Histogram[]])[],
): Metric {
  return metric(name, help, 'histogram', () =>
    read().flatMap(([labels, parts]) => {
      const [first] = parts;
      const counts = parts.map((part) => part.counts);
      let total = 0;
      const values: Value[] = [...first!.bounds, Number.POSITIVE_INFINITY].map((bound, bucket) => {
        for (const part of counts) total += part[bucket]!;
        const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound / unit);
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
      });
      const sum = parts.reduce((added, part) => added + part.sum / unit, 0);
      values.push({ metricName: `${name}_sum`, labels, value: sum });
      values.push({ metricName: `${name}_count`, labels, value: total });
      return values;
    }),
  );
}

function metric(name: string, help: string, type: string, values: () => readonly Value[]): Metric {
  const described = { name, help, type, aggregator: 'sum' };
  return { ...described, get: async () => ({ ...described, values: values() }) } as unknown as Metric;
}
