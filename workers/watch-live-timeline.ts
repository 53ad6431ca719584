// Watches a live timeline without messages: the thread waits on a cell in shared memory that the writer notifies.

import { CONTROL } from '#engine/timeline/live-memory.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';

/** Calls `changed` after each change of the live timeline. Returns a function that stops this. */
export function watchLiveTimeline(live: LiveTimeline, changed: () => void): () => void {
  let watching = true;
  const wait = (seen: number): void => {
    const { async, value } = Atomics.waitAsync(live.control, CONTROL.changes, seen);
    // Not async: the cell has already changed.
    if (async) value.then(check);
    else queueMicrotask(check);
  };
  const check = (): void => {
    if (!watching) return;
    // Read before the callback: a seal that comes during the callback is a change of its own and must not be missed.
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
