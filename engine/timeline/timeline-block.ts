// Consecutive updates of a timeline as bytes, to be kept outside of its memory and put back into another one.

import { decode, encode } from '#engine/base/codec.ts';
import type { Roster } from './roster.ts';
import type { TimelineColumns } from './timeline.ts';

export interface TimelineBlock {
  /** The position of the first update. */
  readonly from: number;
  /** The updates' parts of the columns. Of the two columns of starts, the entries that follow each update. */
  readonly columns: Readonly<Record<keyof TimelineColumns, Uint8Array>>;
  /** The rosters that begin with one of the updates. */
  readonly rosters: readonly Roster[];
  /** The numbers of the drivers that got the next indexes with these updates. */
  readonly drivers: readonly string[];
}

/** The columns with 4 bytes for each update. */
const WIDE = ['dueMs', 'driversLow', 'driversHigh', 'touchedStart', 'bodyStart'] as const;

export function updatesIn({ columns }: TimelineBlock): number {
  return columns.feed.length;
}

/** `tags`: what the caller keeps with the block. */
export function encodeBlock(tags: readonly number[], block: TimelineBlock): Uint8Array {
  const { from, columns, rosters, drivers } = block;
  const { dueMs, feed, eventType, driversLow, driversHigh, bodyStart, bodies } = columns;
  const { touchedStart, touchedDriver, touchedPosition } = columns;
  const touched = [touchedStart, touchedDriver, touchedPosition];
  const parts = [dueMs, feed, eventType, driversLow, driversHigh, ...touched, bodyStart, bodies];
  return encode([...tags, from, ...parts, rosters, drivers]);
}

/** Reads what `encodeBlock` has written with as many tags. Null if the parts do not fit each other. */
export function decodeBlock(bytes: Uint8Array, tagCount: number): { tags: number[]; block: TimelineBlock } | null {
  const values = decode(bytes) as unknown[];
  const tags = values.slice(0, tagCount) as number[];
  const [from, ...rest] = values.slice(tagCount) as [number, ...unknown[]];
  const [dueMs, feed, eventType, driversLow, driversHigh] = rest as Uint8Array[];
  const [touchedStart, touchedDriver, touchedPosition, bodyStart, bodies] = rest.slice(5) as Uint8Array[];
  const [rosters, drivers] = rest.slice(10) as [Roster[], string[]];
  const columns = {
    dueMs: dueMs!,
    feed: feed!,
    eventType: eventType!,
    driversLow: driversLow!,
    driversHigh: driversHigh!,
    touchedStart: touchedStart!,
    touchedDriver: touchedDriver!,
    touchedPosition: touchedPosition!,
    bodyStart: bodyStart!,
    bodies: bodies!,
  };
  const block = { from, columns, rosters, drivers };
  return fitsTogether(block) ? { tags, block } : null;
}

function fitsTogether({ from, columns, rosters, drivers }: TimelineBlock): boolean {
  const updates = columns.feed?.length;
  return (
    Number.isInteger(from) &&
    Object.values(columns).every((column) => column instanceof Uint8Array) &&
    columns.eventType.length === updates &&
    WIDE.every((name) => columns[name].length === 4 * updates) &&
    columns.touchedDriver.length === columns.touchedPosition.length &&
    Array.isArray(rosters) &&
    Array.isArray(drivers)
  );
}
