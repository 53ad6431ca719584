// Waits for a live timeline to change without a message: a thread waits on the cell that the writer notifies.

import { CONTROL } from '#engine/timeline/live-memory.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';

/** Calls back after each change of the live timeline, until the function that it answers is called. */
export function watchLiveTimeline(live: LiveTimeline, changed: () => void): () => void {
  let watching = true;
  const wait = (seen: number): void => {
    const { async, value } = Atomics.waitAsync(live.control, CONTROL.changes, seen);
    // Not async: it has changed meanwhile.
    if (async) value.then(look);
    else queueMicrotask(look);
  };
  const look = (): void => {
    if (!watching) return;
    // Looked at before anybody is told: a seal that comes meanwhile is a further change, to be told as well.
    const seen = Atomics.load(live.control, CONTROL.changes);
    const sealed = Atomics.load(live.control, CONTROL.sealed) === 1;
    changed();
    if (!sealed) wait(seen);
  };
  wait(Atomics.load(live.control, CONTROL.changes));
  return () => {
    watching = false;
  };
}
