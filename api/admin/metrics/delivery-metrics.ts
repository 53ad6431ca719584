// Deliveries: outcomes of attempts, failures, skips and durations, summed over the shards.

import type { Metric } from 'prom-client';
import { ATTEMPT_OUTCOMES } from '#engine/delivery/meter/attempt-outcome.ts';
import type { DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { SKIP_REASONS } from '#engine/delivery/skip-reason.ts';
import { DUE_OUTCOMES } from '#engine/delivery/usage/due-outcome.ts';
import { counter, histogram, NO_LABELS, type Sample } from './sampled-metric.ts';

const RUN_MODES = ['live', 'replay'] as const;
const MODES = [...RUN_MODES, 'test'] as const;

export function deliveryMetrics(shards: readonly ShardMeter[]): readonly Metric[] {
  const of = (mode: (typeof MODES)[number]): readonly DeliveryMeter[] =>
    shards.map(({ deliveries }) => deliveries[mode]);
  const sum = (mode: (typeof MODES)[number], count: (meter: DeliveryMeter) => number): number =>
    of(mode).reduce((added, meter) => added + count(meter), 0);
  return [
    counter('slipstream_attempts_total', 'Finished requests to webhook endpoints, by outcome.', () =>
      MODES.flatMap((mode) =>
        ATTEMPT_OUTCOMES.map((outcome): Sample => [{ mode, outcome }, sum(mode, (meter) => meter.attempts(outcome))]),
      ),
    ),
    counter(
      'slipstream_deliveries_total',
      'Updates that an endpoint acknowledged, or that failed after the last attempt.',
      () =>
        RUN_MODES.flatMap((mode): Sample[] => [
          [{ mode, outcome: 'delivered' }, sum(mode, (meter) => meter.attempts('delivered'))],
          [{ mode, outcome: 'failed' }, sum(mode, (meter) => meter.failures)],
        ]),
    ),
    counter('slipstream_skipped_total', 'Updates skipped on purpose, by reason.', () =>
      RUN_MODES.flatMap((mode) =>
        SKIP_REASONS.map((reason): Sample => [{ mode, reason }, sum(mode, (meter) => meter.skips(reason))]),
      ),
    ),
    counter('slipstream_due_updates_total', 'Live updates that were due, by what became of them.', () =>
      DUE_OUTCOMES.map(
        (outcome): Sample => [{ outcome }, shards.reduce((added, { due }) => added + due.value(outcome), 0)],
      ),
    ),
    histogram('slipstream_attempt_seconds', 'Duration of attempts, whatever their outcome.', 1_000, () =>
      MODES.map((mode) => [{ mode }, of(mode).map(({ attemptMs }) => attemptMs)] as const),
    ),
    histogram('slipstream_delivery_seconds', 'From when an update was due to its acknowledgement.', 1_000, () =>
      RUN_MODES.map((mode) => [{ mode }, of(mode).map(({ deliveryMs }) => deliveryMs)] as const),
    ),
    histogram(
      'slipstream_live_start_seconds',
      'In live delivery: from the receipt of a frame to the start of the first attempt of an update derived from it.',
      1_000,
      () => [[NO_LABELS, shards.map(({ liveStartMs }) => liveStartMs)]],
    ),
  ];
}
