// Threads: whether each gets to its work in time, how busy it is, and whether it lives.

import type { Metric } from 'prom-client';
import type { Clock } from '#engine/base/clock.ts';
import type { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { counter, gauge, histogram, type Sample } from './sampled-metric.ts';

export function threadMetrics(threads: ReadonlyMap<string, ThreadMeter>, clock: Clock): readonly Metric[] {
  const each = (figure: (meter: ThreadMeter) => number) => (): readonly Sample[] =>
    [...threads].map(([thread, meter]) => [{ thread }, figure(meter)]);
  return [
    histogram(
      'slipstream_thread_delay_seconds',
      'How late a thread gets to a timer: its event loop is held up.',
      1_000,
      () => [...threads].map(([thread, { delayMs }]) => [{ thread }, [delayMs]] as const),
    ),
    counter(
      'slipstream_thread_busy_seconds_total',
      'Time in which a thread worked rather than waited; a rate of 1 is all that it can.',
      each(({ figures }) => figures.value('busyMs') / 1_000),
    ),
    counter(
      'slipstream_thread_gc_seconds_total',
      'Time that collecting garbage took a thread.',
      each(({ figures }) => figures.value('gcMs') / 1_000),
    ),
    gauge(
      'slipstream_thread_heap_bytes',
      "What a thread's objects take, garbage included.",
      each(({ figures }) => figures.value('heapBytes')),
    ),
    counter(
      'slipstream_thread_starts_total',
      'Starts of a thread; each after the first is one that died.',
      each(({ figures }) => figures.value('starts')),
    ),
    gauge(
      'slipstream_thread_silent_seconds',
      'Since when nothing was heard of a thread: about a second, unless it hangs or is dead.',
      each(({ figures }) => Math.max(0, clock.nowMs() - figures.value('seenAtMs')) / 1_000),
    ),
  ];
}
