// Threads: the delay of the event loop, how busy each thread is, and whether it is alive.

import type { Metric } from 'prom-client';
import type { Clock } from '#engine/base/clock.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { counter, gauge, histogram, type Sample } from './sampled-metric.ts';

/** By the name of the thread. `shards`: the meters of its shards. */
export function threadMeters(meters: Meters, shards: readonly ShardMeter[]): ReadonlyMap<string, ThreadMeter> {
  const meter = (memory: SharedArrayBuffer): ThreadMeter => new ThreadMeter(new Float64Array(memory));
  return new Map([
    ['main', meter(meters.main)],
    ['live', meter(meters.live)],
    ...shards.map(({ thread }, shard): [string, ThreadMeter] => [`shard-${shard}`, thread]),
    ['operators', meter(meters.operators)],
    ...(meters.grpc === null ? [] : [['grpc', meter(meters.grpc)] as const]),
  ]);
}

export function threadMetrics(threads: ReadonlyMap<string, ThreadMeter>, clock: Clock): readonly Metric[] {
  const each = (figure: (meter: ThreadMeter) => number) => (): readonly Sample[] =>
    [...threads].map(([thread, meter]) => [{ thread }, figure(meter)]);
  return [
    histogram(
      'slipstream_thread_delay_seconds',
      'How late timers fire on a thread, which shows how long its event loop is blocked.',
      1_000,
      () => [...threads].map(([thread, { delayMs }]) => [{ thread }, [delayMs]] as const),
    ),
    counter(
      'slipstream_thread_busy_seconds_total',
      'Time that a thread was busy; at a rate of 1 it is saturated.',
      each(({ figures }) => figures.value('busyMs') / 1_000),
    ),
    counter(
      'slipstream_thread_gc_seconds_total',
      'Time that a thread spent on garbage collection.',
      each(({ figures }) => figures.value('gcMs') / 1_000),
    ),
    gauge(
      'slipstream_thread_heap_bytes',
      'Heap of a thread, garbage included.',
      each(({ figures }) => figures.value('heapBytes')),
    ),
    counter(
      'slipstream_thread_starts_total',
      'Starts of a thread; each one after the first replaces one that died.',
      each(({ figures }) => figures.value('starts')),
    ),
    gauge(
      'slipstream_thread_silent_seconds',
      'Time since the last sign of life of a thread: about a second, unless it hangs or is dead.',
      each(({ figures }) => Math.max(0, clock.nowMs() - figures.value('seenAtMs')) / 1_000),
    ),
  ];
}
