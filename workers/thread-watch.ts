// Watches the thread that it runs on and writes down how it is doing (engine/delivery/meter/thread-meter.ts).

import { PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { systemClock } from '#engine/base/clock.ts';
import type { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';

/** How often a thread writes down how it stands, and how often it looks how late it gets to a timer. */
const METER_MS = 1_000;
const LOOK_MS = 20;

/** Until the thread ends. `measure` is called about once a second, for what else is to be written down. */
export function watchThread({ delayMs, figures }: ThreadMeter, measure: () => void = () => {}): void {
  // The thread before this one has worked as well.
  const workedMs = figures.value('busyMs');
  figures.add('starts');
  const sample = (): void => {
    figures.set('busyMs', workedMs + performance.eventLoopUtilization().active);
    figures.set('heapBytes', getHeapStatistics().used_heap_size);
    figures.set('seenAtMs', systemClock.nowMs());
    measure();
  };
  let lookedAtMs = systemClock.nowMs();
  const look = (): void => {
    const nowMs = systemClock.nowMs();
    delayMs.record(Math.max(0, nowMs - lookedAtMs - LOOK_MS));
    lookedAtMs = nowMs;
  };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) figures.add('gcMs', duration);
  }).observe({ entryTypes: ['gc'] });
  setInterval(look, LOOK_MS).unref();
  setInterval(sample, METER_MS).unref();
  sample();
}
