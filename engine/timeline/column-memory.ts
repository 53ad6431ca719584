// Memory for the columns of a timeline under construction.

import { assert } from '#engine/base/assert.ts';
import { TIMELINE_BODY_BYTES_MAX, TIMELINE_UPDATES_MAX } from '#engine/base/limits.ts';
import type { TimelineColumns } from './timeline.ts';

export interface ColumnMemory {
  /**
   * Returns columns with room for this many updates, touched drivers and body bytes in total. They contain everything
   * written so far. Columns of an earlier call must not be written to any more.
   */
  reserve(updates: number, touched: number, bodyBytes: number): TimelineColumns;
}

type Writable = { -readonly [Name in keyof TimelineColumns]: TimelineColumns[Name] };

/** Memory of one thread. It doubles when it is full. */
export class GrowingColumns implements ColumnMemory {
  readonly #columns: Writable = {
    dueMs: new Uint32Array(1024),
    feed: new Uint8Array(1024),
    eventType: new Uint8Array(1024),
    driversLow: new Uint32Array(1024),
    driversHigh: new Uint32Array(1024),
    touchedStart: new Uint32Array(1025),
    bodyStart: new Uint32Array(1025),
    touchedDriver: new Uint8Array(4096),
    touchedPosition: new Uint8Array(4096),
    bodies: new Uint8Array(1024 * 1024),
  };

  reserve(updates: number, touched: number, bodyBytes: number): TimelineColumns {
    const columns = this.#columns;
    assert(updates <= TIMELINE_UPDATES_MAX, `a timeline has at most ${TIMELINE_UPDATES_MAX} updates`);
    assert(bodyBytes <= TIMELINE_BODY_BYTES_MAX, 'the bodies of a timeline stay within their bound');
    if (updates > columns.dueMs.length) {
      const size = columns.dueMs.length * 2;
      columns.dueMs = grown(columns.dueMs, size);
      columns.feed = grown(columns.feed, size);
      columns.eventType = grown(columns.eventType, size);
      columns.driversLow = grown(columns.driversLow, size);
      columns.driversHigh = grown(columns.driversHigh, size);
      columns.touchedStart = grown(columns.touchedStart, size + 1);
      columns.bodyStart = grown(columns.bodyStart, size + 1);
    }
    if (touched > columns.touchedDriver.length) {
      columns.touchedDriver = grown(columns.touchedDriver, touched * 2);
      columns.touchedPosition = grown(columns.touchedPosition, touched * 2);
    }
    if (bodyBytes > columns.bodies.length) {
      columns.bodies = grown(columns.bodies, Math.min(bodyBytes * 2, TIMELINE_BODY_BYTES_MAX));
    }
    return columns;
  }
}

function grown<Column extends Uint8Array | Uint32Array>(column: Column, length: number): Column {
  const wider = new (column.constructor as new (length: number) => Column)(length);
  wider.set(column);
  return wider;
}
