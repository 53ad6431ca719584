// The timeline: the updates of one session in order, as columns over shared memory that every thread reads in place. A
// compiled one is complete; a live one grows at its end.
//
// A position counts from 0 and is what mailboxes and checkpoints hold; the sequence that customers see is position + 1.
// Columns are typed arrays so that matching a filter and pacing a replay allocate nothing; bodies are one byte area, so
// that an attempt sends a view and copies nothing.

import { FEEDS, type FeedId } from '#schemas/webhook/feeds.ts';
import type { Roster } from './roster.ts';

export interface TimelineInfo {
  readonly sessionId: string;
  readonly seriesId: string;
  /** Unix epoch milliseconds of the first frame; `dueMs` counts from here. */
  readonly startUtcMs: number;
  /** Milliseconds from the first frame to the last; 0 while it grows. */
  readonly durationMs: number;
  /** 0 while it grows. */
  readonly frames: number;
  /** Grow with the timeline. */
  readonly rosters: readonly Roster[];
}

export interface TimelineColumns {
  /** Milliseconds from the first frame until the update is due, never falling. */
  readonly dueMs: Uint32Array;
  readonly feed: Uint8Array;
  /** 0, or the number of the race event type. */
  readonly eventType: Uint8Array;
  /** The touched drivers as bits: roster indexes 0 to 31, and 32 to 63. */
  readonly driversLow: Uint32Array;
  readonly driversHigh: Uint32Array;
  /** One more entry than updates: where the update's touched drivers begin in the two columns below. */
  readonly touchedStart: Uint32Array;
  readonly touchedDriver: Uint8Array;
  /** The race position of that driver at that moment; 0 when not known. */
  readonly touchedPosition: Uint8Array;
  /** One more entry than updates: where the update's body begins in `bodies`. */
  readonly bodyStart: Uint32Array;
  readonly bodies: Uint8Array;
}

export class Timeline {
  readonly info: TimelineInfo;
  readonly columns: TimelineColumns;
  #length: number;

  /** The columns may have room for more than the `length` updates that there are. */
  constructor(info: TimelineInfo, columns: TimelineColumns, length = columns.dueMs.length) {
    this.info = info;
    this.columns = columns;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes in updates that were published in its columns: only for who reads a live timeline. */
  extend(length: number): void {
    this.#length = length;
  }

  /** The body's bytes: a view, valid as long as the timeline. */
  body(position: number): Uint8Array {
    const { bodies, bodyStart } = this.columns;
    return bodies.subarray(bodyStart[position], bodyStart[position + 1]);
  }

  feedId(position: number): FeedId {
    return FEEDS[this.columns.feed[position]!]!.feedId;
  }

  /** How many updates are due at this time: the first position that is not. `elapsedMs` counts from the first frame. */
  duePosition(elapsedMs: number): number {
    const { dueMs } = this.columns;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (dueMs[middle]! <= elapsedMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The drivers as known at this position. */
  rosterIndexAt(position: number): number {
    const { rosters } = this.info;
    let index = rosters.length - 1;
    while (index > 0 && rosters[index]!.fromPosition > position) index--;
    return index;
  }
}

/** What customers see as `sequence`. */
export function sequenceOf(position: number): number {
  return position + 1;
}
