// Streams of updates, by protocol.

import type { Metric } from 'prom-client';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { counter, gauge, type Sample } from './sampled-metric.ts';

export function streamMetrics(streams: Meters['streams']): readonly Metric[] {
  const meters = Object.entries(streams).map(([protocol, memory]) => ({
    labels: { protocol },
    figures: new StreamMeter(new Float64Array(memory)).figures,
  }));
  const each = (name: 'open' | 'blocked' | 'updates') => (): readonly Sample[] =>
    meters.map(({ labels, figures }) => [labels, figures.value(name)]);
  return [
    gauge('slipstream_streams', 'Open streams of updates.', each('open')),
    gauge('slipstream_streams_blocked', 'Of these, streams that wait for their client to read.', each('blocked')),
    counter('slipstream_stream_updates_total', 'Updates that streams have sent.', each('updates')),
  ];
}
