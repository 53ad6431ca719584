// Watches a live timeline without messages: the thread waits on a cell in shared memory that the writer notifies.

import { CONTROL } from '#engine/timeline/live-memory.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';

/**
 * Calls `changed` after each change of the live timeline. Returns a function that stops this. Before it is called, nothing
 * counts as a change: look once after it.
 */
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
  const seen = Atomics.load(live.control, CONTROL.changes);
  // A wait for a change that never comes would not end, and keep the memory of the timeline with it.
  if (Atomics.load(live.control, CONTROL.sealed) === 0) wait(seen);
  return () => {
    watching = false;
  };
}
