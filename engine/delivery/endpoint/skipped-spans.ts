// What an actor has skipped, as spans of positions with a reason. They are written with its checkpoint, so what a
// receiver has missed is known afterwards without a row for each update.
//
// A span grows while updates are skipped one after the other for one reason, and ends when an attempt starts. So there are
// never more spans than attempts and changes of the reason.

import type { SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import { NO_SPANS } from '#engine/delivery/delivery-log/record-store.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';

interface Span {
  readonly first: number;
  last: number;
  readonly reason: SkipReason;
  /** Whether it is among the changed ones. */
  changed: boolean;
}

export class SkippedSpans {
  /** The span that may still grow. */
  #open: Span | null = null;
  /** Spans that have changed since the last checkpoint. */
  #changed: Span[] = [];

  /** `unwritten`: what a predecessor has not written yet. */
  constructor(unwritten: readonly SkippedSpan[]) {
    for (const span of unwritten) this.#add({ ...span, changed: true });
  }

  /** A position is skipped in timeline order: all that match before it are decided. */
  next(position: number, reason: SkipReason): void {
    const open = this.#open;
    if (open === null || open.reason !== reason) {
      this.#open = { first: position, last: position, reason, changed: true };
      this.#changed.push(this.#open);
      return;
    }
    open.last = position;
    if (!open.changed) this.#add(open);
  }

  /** An update is skipped that had been started before. */
  late(position: number, reason: SkipReason): void {
    this.#add({ first: position, last: position, reason, changed: true });
  }

  /** A first attempt starts: the next span begins after it. */
  interrupt(): void {
    this.#open = null;
  }

  /** Returns the spans that have changed since `written`. */
  changed(): readonly SkippedSpan[] {
    if (this.#changed.length === 0) return NO_SPANS;
    return this.#changed.map(({ first, last, reason }) => ({ first, last, reason }));
  }

  /** What `changed` has returned is in a checkpoint. */
  written(): void {
    if (this.#changed.length === 0) return;
    for (const span of this.#changed) span.changed = false;
    this.#changed = [];
  }

  #add(span: Span): void {
    span.changed = true;
    this.#changed.push(span);
  }
}
