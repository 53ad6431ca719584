// The timeline: the updates of one session in order, as columns over shared memory that every thread reads in place. A
// compiled timeline is complete; a live one grows at its end.
//
// Positions count from 0; mailboxes and checkpoints hold them. The sequence that customers see is position + 1. Columns
// are typed arrays, so that matching a filter and pacing a replay allocate nothing. All bodies are one byte array, so
// that an attempt sends a view of it and copies nothing.

import { FEEDS, type FeedId } from '#schemas/webhook/feeds.ts';
import type { Roster } from './roster.ts';

export interface TimelineInfo {
  readonly sessionId: string;
  readonly seriesId: string;
  /** Unix epoch milliseconds of the first frame; `dueMs` counts from here. */
  readonly startUtcMs: number;
  /** Milliseconds from the first frame to the last; 0 in a live timeline. */
  readonly durationMs: number;
  /** 0 in a live timeline. */
  readonly frames: number;
  /** Grows with a live timeline. */
  readonly rosters: readonly Roster[];
}

export interface TimelineColumns {
  /** Milliseconds from the first frame until the update is due, never falling. */
  readonly dueMs: Uint32Array;
  readonly feed: Uint8Array;
  /** The number of the race event type; 0 for other feeds. */
  readonly eventType: Uint8Array;
  /** The touched drivers as bits: roster indexes 0 to 31, and 32 to 63. */
  readonly driversLow: Uint32Array;
  readonly driversHigh: Uint32Array;
  /** Where the update's touched drivers begin in the two columns below. One more entry than updates. */
  readonly touchedStart: Uint32Array;
  readonly touchedDriver: Uint8Array;
  /** The driver's race position at that moment; 0 if unknown. */
  readonly touchedPosition: Uint8Array;
  /** Where the update's body begins in `bodies`. One more entry than updates. */
  readonly bodyStart: Uint32Array;
  readonly bodies: Uint8Array;
}

export class Timeline {
  readonly info: TimelineInfo;
  readonly columns: TimelineColumns;
  #length: number;

  /** The columns may have room for more than `length` updates. */
  constructor(info: TimelineInfo, columns: TimelineColumns, length = columns.dueMs.length) {
    this.info = info;
    this.columns = columns;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  /** Makes updates visible that were published into its columns. Only for the readers of a live timeline. */
  extend(length: number): void {
    this.#length = length;
  }

  /** Returns the bytes of the body: a view, valid as long as the timeline. */
  body(position: number): Uint8Array {
    const { bodies, bodyStart } = this.columns;
    return bodies.subarray(bodyStart[position], bodyStart[position + 1]);
  }

  feedId(position: number): FeedId {
    return FEEDS[this.columns.feed[position]!]!.feedId;
  }

  /** Returns how many updates are due at this time. `elapsedMs` counts from the first frame. */
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

  /** Returns the index of the roster in force at this position. */
  rosterIndexAt(position: number): number {
    const { rosters } = this.info;
    let index = rosters.length - 1;
    while (index > 0 && rosters[index]!.fromPosition > position) index--;
    return index;
  }
}

/** Returns the `sequence` that customers see. */
export function sequenceOf(position: number): number {
  return position + 1;
}
