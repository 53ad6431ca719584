// The shared memory of a live timeline. It is reserved once for the longest session, so it never grows or moves. The
// system backs only the pages in use.
//
// One thread writes beyond the published length, then publishes: it stores the new length and wakes the readers. A
// reader reads up to the length that it has loaded. Rosters are published before the updates that need them.

import { LIVE_BODY_BYTES_MAX, LIVE_ROSTER_BYTES_MAX, LIVE_TOUCHED_MAX, LIVE_UPDATES_MAX } from '#engine/base/limits.ts';
import type { TimelineColumns } from './timeline.ts';
import type { TimelineHead } from './timeline-builder.ts';

type ColumnName = keyof TimelineColumns;

/** A live timeline as threads pass it to each other. */
export interface LiveMemory {
  readonly head: TimelineHead;
  /** Unix epoch milliseconds of the first frame. */
  readonly startUtcMs: number;
  /** Int32, see `CONTROL`. */
  readonly control: SharedArrayBuffer;
  readonly columns: Readonly<Record<ColumnName, SharedArrayBuffer>>;
  /** Float64: the monotonic time at which each update's frame was received. */
  readonly receivedMs: SharedArrayBuffer;
  /** How many of its first updates an earlier process published; absent stands for none. */
  readonly restored?: number;
  /** Each roster as a u32 length followed by its MessagePack. */
  readonly rosters: SharedArrayBuffer;
}

/** Indexes of the control cells. */
export const CONTROL = {
  /** How many updates are published. */
  length: 0,
  /** How many bytes of rosters are published. */
  rosterBytes: 1,
  /** 1 once the timeline is complete. */
  sealed: 2,
  /** Rises with every change of the other cells. Readers wait on this one. */
  changes: 3,
} as const;

/** Reserves the memory of one live session. */
export function reserveLiveMemory(head: TimelineHead, startUtcMs: number): LiveMemory {
  const four = 4 * LIVE_UPDATES_MAX;
  return {
    head,
    startUtcMs,
    control: new SharedArrayBuffer(16),
    columns: {
      dueMs: new SharedArrayBuffer(four),
      feed: new SharedArrayBuffer(LIVE_UPDATES_MAX),
      eventType: new SharedArrayBuffer(LIVE_UPDATES_MAX),
      driversLow: new SharedArrayBuffer(four),
      driversHigh: new SharedArrayBuffer(four),
      touchedStart: new SharedArrayBuffer(four + 4),
      touchedDriver: new SharedArrayBuffer(LIVE_TOUCHED_MAX),
      touchedPosition: new SharedArrayBuffer(LIVE_TOUCHED_MAX),
      bodyStart: new SharedArrayBuffer(four + 4),
      bodies: new SharedArrayBuffer(LIVE_BODY_BYTES_MAX),
    },
    receivedMs: new SharedArrayBuffer(8 * LIVE_UPDATES_MAX),
    rosters: new SharedArrayBuffer(LIVE_ROSTER_BYTES_MAX),
  };
}

/** Returns the columns over the shared memory, in any thread. */
export function columnsOver({ columns }: LiveMemory): TimelineColumns {
  return {
    dueMs: new Uint32Array(columns.dueMs),
    feed: new Uint8Array(columns.feed),
    eventType: new Uint8Array(columns.eventType),
    driversLow: new Uint32Array(columns.driversLow),
    driversHigh: new Uint32Array(columns.driversHigh),
    touchedStart: new Uint32Array(columns.touchedStart),
    touchedDriver: new Uint8Array(columns.touchedDriver),
    touchedPosition: new Uint8Array(columns.touchedPosition),
    bodyStart: new Uint32Array(columns.bodyStart),
    bodies: new Uint8Array(columns.bodies),
  };
}
