// Draws a panel anew at its own pace, and only while it can be seen.

import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { Theatre } from '../show/fold.ts';
import { DrawPace } from './draw-pace.ts';

/** Charts and lists: four times a second. */
export const CHART_MS = 250;

/** Returns the ref for the element that is watched for being in view. */
export function useDrawing(theatre: Theatre, version: () => number, everyMs = CHART_MS) {
  const place = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const pace = new DrawPace({
      version,
      draw: () => draw(undefined),
      everyMs,
      nowMs: () => performance.now(),
      later: (run, delayMs) => {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    });
    // What came between the first drawing and now.
    draw(undefined);
    const watcher = new IntersectionObserver((entries) => pace.seen(entries.at(-1)!.isIntersecting));
    watcher.observe(place.current!);
    const unsubscribe = theatre.frame.subscribe(() => pace.changed());
    return () => {
      watcher.disconnect();
      unsubscribe();
      pace.stop();
    };
  }, [theatre, everyMs]);
  return place;
}
