// The shared memory of a live timeline: reserved once for the longest session, touched only as far as it is used, so that
// neither growing nor moving is ever needed and a position stays where it is.
//
// One thread writes behind the published length, then publishes: it stores the new length and wakes who waits for it.
// Everybody else reads up to the length that was loaded. Rosters are published before the updates that need them.

import { LIVE_BODY_BYTES_MAX, LIVE_ROSTER_BYTES_MAX, LIVE_TOUCHED_MAX, LIVE_UPDATES_MAX } from '#engine/base/limits.ts';
import type { TimelineColumns } from './timeline.ts';
import type { TimelineHead } from './timeline-builder.ts';

type ColumnName = keyof TimelineColumns;

/** What threads hand each other to share a live timeline. */
export interface LiveMemory {
  readonly head: TimelineHead;
  /** Unix epoch milliseconds of the first frame. */
  readonly startUtcMs: number;
  /** Int32, see `CONTROL`. */
  readonly control: SharedArrayBuffer;
  readonly columns: Readonly<Record<ColumnName, SharedArrayBuffer>>;
  /** Float64: the monotonic time at which an update's frame was received. */
  readonly receivedMs: SharedArrayBuffer;
  /** MessagePack of each roster behind the u32 of its length. */
  readonly rosters: SharedArrayBuffer;
}

/** Places in the control cells. */
export const CONTROL = {
  /** Published updates. */
  length: 0,
  /** Bytes of published rosters. */
  rosterBytes: 1,
  /** 1: nothing further comes. */
  sealed: 2,
  /** Rises with every change of the others, and is notified: what readers wait on. */
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

/** The columns over the shared memory, in any thread. */
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
