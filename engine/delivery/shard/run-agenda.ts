// Which runs of a shard updates fall due for. A shard may have a run for each of ten thousand accounts, and looks after every
// slice of turns: only those that may have something are asked.
//
// RA1 A run is asked once when it has come; from then on, one that follows a live timeline when that has changed, and any other
//     when its next update is due.

import { TimeHeap } from '#engine/base/time-heap.ts';
import type { Run } from '#engine/delivery/run/run.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';

/** A live timeline as its runs have seen it, and these. */
interface Followed<Entry> {
  length: number;
  sealed: boolean;
  readonly entries: Set<Entry>;
}

export class RunAgenda<Entry extends { readonly run: Run }> {
  readonly #new = new Set<Entry>();
  readonly #timed = new TimeHeap<Entry>();
  readonly #followed = new Map<LiveTimeline, Followed<Entry>>();

  /** `live`: the live timeline that the run follows; null for a run whose timeline is complete. */
  add(entry: Entry, live: LiveTimeline | null): void {
    this.#new.add(entry);
    if (live === null) return;
    const followed = this.#followed.get(live);
    if (followed === undefined) this.#followed.set(live, { length: 0, sealed: false, entries: new Set([entry]) });
    else followed.entries.add(entry);
  }

  /** Returns whether another run follows the live timeline. */
  remove(entry: Entry, live: LiveTimeline | null): boolean {
    this.#new.delete(entry);
    this.#timed.remove(entry);
    const followed = live === null ? undefined : this.#followed.get(live);
    if (followed === undefined) return false;
    followed.entries.delete(entry);
    if (followed.entries.size > 0) return true;
    this.#followed.delete(live!);
    return false;
  }

  /** Calls back for each run of which updates fell due, or the end became known. The callback may remove it. */
  advance(nowMs: number, fellDue: (entry: Entry) => void): void {
    for (const entry of this.#new) {
      this.#new.delete(entry);
      this.#ask(entry, nowMs, fellDue);
    }
    for (const [live, followed] of this.#followed) {
      live.refresh();
      const { length } = live.timeline;
      if (length === followed.length && live.sealed === followed.sealed) continue;
      followed.length = length;
      followed.sealed = live.sealed;
      for (const entry of followed.entries) this.#ask(entry, nowMs, fellDue);
    }
    for (let entry = this.#timed.take(nowMs); entry !== null; entry = this.#timed.take(nowMs))
      this.#ask(entry, nowMs, fellDue);
  }

  /** Returns when `advance` is due next, on the monotonic clock, as far as that is known. */
  nextDueMs(): number {
    return this.#new.size > 0 ? Number.NEGATIVE_INFINITY : this.#timed.firstMs;
  }

  #ask(entry: Entry, nowMs: number, fellDue: (entry: Entry) => void): void {
    const { run } = entry;
    const isDue = run.advance(nowMs);
    const nextMs = run.nextDueMs();
    if (nextMs !== Number.POSITIVE_INFINITY) this.#timed.add(nextMs, entry);
    if (isDue) fellDue(entry);
  }
}
