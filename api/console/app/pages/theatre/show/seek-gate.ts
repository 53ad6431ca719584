// Which updates of a replay's stream belong to the place that it was moved to. The answer to a seek and the stream come over
// two connections, so updates of the old place may come after the seek was asked for, and those of the new one before it
// is answered.
//
// After a move back the updates of the new place begin where the sequence falls. After a move forward they are those
// with a higher sequence than the place; updates with a lower one are old.

import type { ShownUpdate } from './updates.ts';

/** Updates that may wait for the state of the new place: half a minute of a whole field at ten times the pace. */
const WAITING_MAX = 50_000;

type Mode =
  | { readonly kind: 'open' }
  | { readonly kind: 'waiting' }
  /** Updates of the old place are still coming. */
  | { readonly kind: 'falling' };

export class SeekGate {
  #mode: Mode = { kind: 'open' };
  #waiting: ShownUpdate[] = [];
  /** The last sequence that came. */
  #last = 0;
  /** The last one before the show was moved. */
  #before = 0;
  /** The first update of the new place among those that wait, once the sequence has fallen. */
  #fellAt: number | null = null;

  /** Whether a place lies before the one from which the show was moved. */
  isBack(position: number): boolean {
    return position < this.#before;
  }

  /** The show is about to be moved: updates wait. */
  close(): void {
    this.#mode = { kind: 'waiting' };
    this.#before = this.#last;
    this.#waiting = [];
    this.#fellAt = null;
  }

  /** The stream begins anew, behind this place. What waits is of the old one. */
  begin(position: number): void {
    this.#last = position;
    this.#before = position;
    this.#waiting = [];
    this.#fellAt = null;
  }

  /** Returns whether to show the update now. */
  admits(update: ShownUpdate): boolean {
    const falls = update.sequence <= this.#last;
    this.#last = update.sequence;
    if (this.#mode.kind === 'open') return true;
    if (this.#mode.kind === 'falling') {
      if (!falls) return false;
      this.#mode = { kind: 'open' };
      return true;
    }
    if (falls) this.#fellAt = this.#waiting.length;
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(update);
    return false;
  }

  /** The state of the place is shown. Returns the updates that follow it. */
  open(position: number): readonly ShownUpdate[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    const fellAt = this.#fellAt;
    this.#fellAt = null;
    if (fellAt === null && this.isBack(position)) {
      this.#mode = { kind: 'falling' };
      return [];
    }
    this.#mode = { kind: 'open' };
    return waiting.slice(fellAt ?? 0).filter(({ sequence }) => sequence > position);
  }

  /** The show was not moved. Returns what waited. */
  reopen(): readonly ShownUpdate[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#mode = { kind: 'open' };
    return waiting;
  }
}
