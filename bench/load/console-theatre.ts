// The part of the console bench that watches a race in the theatre, with all its panels in view.

import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from '../browser/chromium.ts';
import { traceMainThread, WORK, type Work } from '../browser/main-thread-trace.ts';
import { framesPerSecond, heapMib, seenOf, watchPage } from '../browser/watched-page.ts';
import { monotonicMs } from '../suite/monotonic.ts';

/** Everything is in view at once, which no screen shows: panels out of view are not drawn. */
const VIEWPORT = { width: 1_920, height: 2_600 };
/** Of a sample and of a trace, if it is watched for so long. */
const SAMPLE_MS = 5_000;
/** Every so many samples one is traced. */
const TRACE_EVERY = 6;
const BEGIN_MS_MAX = 60_000;
/** Runs in the page. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

export interface Watched {
  /** Of a page without anything. */
  readonly emptyFrames: readonly number[];
  readonly frames: readonly number[];
  readonly longTasks: readonly number[];
  /** Of the parts that were traced. */
  readonly taskMs: readonly number[];
  readonly workMs: ReadonlyMap<Work, number>;
  readonly tracedMs: number;
  /** After collections, over the time watched. */
  readonly heaps: readonly { readonly atMs: number; readonly mib: number; readonly elements: number }[];
  /** What the console of the browser said: nothing if all went well. */
  readonly errors: readonly string[];
}

export interface Watch {
  readonly address: string;
  readonly cookie: string;
  readonly sessionId: string;
  readonly speed: number;
  readonly msMax: number;
  readonly progress: (line: string) => void;
}

/** Watches until the race has ended, or for as long as told. */
export async function watchTheatre(browser: Browser, watch: Watch): Promise<Watched> {
  const { address, cookie, sessionId, speed, msMax, progress } = watch;
  const sampleMs = Math.min(SAMPLE_MS, msMax);
  const emptyFrames = await framesOfNothing(browser, sampleMs);
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', colorScheme: 'dark' });
  try {
    const [name, value] = cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: address }]);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (said) => {
      if (said.type() === 'error') errors.push(said.text());
    });
    await page.goto(`${address}/console/replay/${sessionId}?speed=${speed}`);
    await page.locator('.tower tbody tr').first().waitFor({ timeout: BEGIN_MS_MAX });
    const session = await context.newCDPSession(page);
    await watchPage(page);
    const [frames, longTasks, taskMs]: [number[], number[], number[]] = [[], [], []];
    const workMs = new Map<Work, number>(WORK.map((work) => [work, 0]));
    const heaps: { atMs: number; mib: number; elements: number }[] = [];
    const end = page.getByText('Played to the end');
    const startMs = monotonicMs();
    let hasEnded = false;
    let tracedMs = 0;
    for (let sample = 1; !hasEnded && monotonicMs() - startMs < msMax; sample++) {
      if (sample % TRACE_EVERY === 1) {
        const traced = await traceMainThread(session, sampleMs);
        taskMs.push(...traced.taskMs);
        for (const work of WORK) workMs.set(work, workMs.get(work)! + traced.workMs.get(work)!);
        tracedMs += sampleMs;
      } else {
        await pause(sampleMs);
      }
      const seen = await seenOf(page);
      frames.push(...seen.frames);
      longTasks.push(...seen.tasks);
      const elements: number = await page.evaluate("document.querySelectorAll('*').length");
      heaps.push({ atMs: monotonicMs() - startMs, mib: await heapMib(session), elements });
      // A collection of the bench is no frame or task of the page.
      await page.evaluate(TWO_FRAMES);
      await seenOf(page);
      hasEnded = await end.isVisible();
      const { mib } = heaps.at(-1)!;
      progress(
        `${sessionId}, ${(heaps.at(-1)!.atMs / 1_000).toFixed(0)} s: ${framesPerSecond(seen.frames).toFixed(1)} frames/s, heap ${mib.toFixed(1)} MiB`,
      );
    }
    return { emptyFrames, frames, longTasks, taskMs, workMs, tracedMs, heaps, errors };
  } finally {
    await context.close();
  }
}

/** In a page of its own: the end of a page costs its process half a second. */
async function framesOfNothing(browser: Browser, ms: number): Promise<readonly number[]> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    await watchPage(page);
    await pause(ms);
    return (await seenOf(page)).frames;
  } finally {
    await context.close();
  }
}
