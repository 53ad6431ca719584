// What operators watch of live delivery, in the Prometheus text format: how far each session is, whether live timing is
// connected, and how long updates wait from the receipt of their frame to the start of their first attempt.

import { Gauge, type Metric, Registry } from 'prom-client';
import { LAG_BOUNDS_MS, LagHistogram } from '#engine/live/lag-histogram.ts';
import type { LiveSessions } from '#engine/live/live-sessions.ts';

export interface MetricsParts {
  readonly sessions: LiveSessions;
  /** Null: there is no live timing to be connected to. */
  readonly connected: (() => boolean) | null;
  /** One histogram for each shard. */
  readonly liveLags: readonly SharedArrayBuffer[];
}

export class Metrics {
  readonly #registry = new Registry();

  constructor({ sessions, connected, liveLags }: MetricsParts) {
    const registers = [this.#registry];
    const labelNames = ['session'];
    new Gauge({
      name: 'slipstream_live_frames',
      help: 'Frames taken of each session that goes on.',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { head, frames } of sessions.all()) this.set({ session: head.sessionId }, frames);
      },
    });
    new Gauge({
      name: 'slipstream_live_updates',
      help: 'Updates derived of each session that goes on.',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { head, updates } of sessions.all()) this.set({ session: head.sessionId }, updates);
      },
    });
    if (connected !== null) {
      new Gauge({
        name: 'slipstream_live_connected',
        help: '1 while live timing is connected.',
        registers,
        collect() {
          this.set(connected() ? 1 : 0);
        },
      });
    }
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process.',
      registers,
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
    const lags = liveLags.map((memory) => new LagHistogram(memory));
    this.#registry.registerMetric(lagMetric(lags));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

const LAG_NAME = 'slipstream_live_start_seconds';

/** The threads' histograms as one: the library's own cannot be filled from counts. */
function lagMetric(lags: readonly LagHistogram[]): Metric {
  const described = {
    name: LAG_NAME,
    help: 'From the receipt of a frame to the start of the first attempt of an update that it made, in live delivery.',
    type: 'histogram',
    aggregator: 'sum',
  };
  return {
    ...described,
    async get() {
      const counts = lags.map((lag) => lag.counts);
      let total = 0;
      const values = [...LAG_BOUNDS_MS, Number.POSITIVE_INFINITY].map((boundMs, bucket) => {
        for (const count of counts) total += count[bucket]!;
        const le = boundMs === Number.POSITIVE_INFINITY ? '+Inf' : String(boundMs / 1_000);
        return { metricName: `${LAG_NAME}_bucket`, labels: { le }, value: total };
      });
      const sum = lags.reduce((seconds, lag) => seconds + lag.sumMs / 1_000, 0);
      values.push({ metricName: `${LAG_NAME}_sum`, labels: {} as never, value: sum });
      values.push({ metricName: `${LAG_NAME}_count`, labels: {} as never, value: total });
      return { ...described, values };
    },
  } as unknown as Metric;
}
