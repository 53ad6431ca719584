// Measures the thread that it runs on: busy time, heap, garbage collection, event loop delay
// (engine/delivery/meter/thread-meter.ts).

import { PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { systemClock } from '#engine/base/clock.ts';
import type { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';

/** How often a thread updates its gauges, and how often it measures how late a timer fires. */
const METER_MS = 1_000;
const PROBE_MS = 20;

/** Measures until the thread ends. `measure` is called about once a second, for gauges of the caller's own. */
export function watchThread({ delayMs, figures }: ThreadMeter, measure: () => void = () => {}): void {
  // The counter continues from the thread that this one replaces.
  const earlierBusyMs = figures.value('busyMs');
  figures.add('starts');
  const sample = (): void => {
    figures.set('busyMs', earlierBusyMs + performance.eventLoopUtilization().active);
    figures.set('heapBytes', getHeapStatistics().used_heap_size);
    figures.set('seenAtMs', systemClock.nowMs());
    measure();
  };
  let probedAtMs = systemClock.nowMs();
  const probe = (): void => {
    const nowMs = systemClock.nowMs();
    delayMs.record(Math.max(0, nowMs - probedAtMs - PROBE_MS));
    probedAtMs = nowMs;
  };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) figures.add('gcMs', duration);
  }).observe({ entryTypes: ['gc'] });
  setInterval(probe, PROBE_MS).unref();
  setInterval(sample, METER_MS).unref();
  sample();
}
