// A page that is watched while it runs: its frames, its tasks over 50 ms, and its heap.

import { quantile } from '../suite/quantiles.ts';
import type { CDPSession, Page } from './chromium.ts';

/** Runs in the page. */
const WATCH = `(() => {
  const seen = (window.__seen = { frames: [], tasks: [] });
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) seen.tasks.push(duration); })
    .observe({ type: 'longtask' });
  let last = performance.now();
  const frame = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
})()`;
const TAKE = '({ frames: __seen.frames.splice(0), tasks: __seen.tasks.splice(0) })';
const MIB = 1_048_576;

export interface Seen {
  /** The time between each frame and the one before it, ms. */
  readonly frames: readonly number[];
  /** The length of each task of the main thread over 50 ms. */
  readonly tasks: readonly number[];
}

/** Begins to watch: the page must be open. */
export async function watchPage(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

/** What was seen since the last call. */
export function seenOf(page: Page): Promise<Seen> {
  return page.evaluate(TAKE);
}

export function framesPerSecond(frames: readonly number[]): number {
  return (frames.length * 1_000) / frames.reduce((sum, ms) => sum + ms, 0);
}

/** How long the slowest frame in a hundred took, ms. */
export function frameP99(frames: readonly number[]): number {
  return quantile(
    frames.toSorted((a, b) => a - b),
    0.99,
  );
}

/** MiB of the heap of scripts that are in use, after a collection. */
export async function heapMib(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / MIB;
}
