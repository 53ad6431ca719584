// Builds a timeline: numbers updates, serialises each body once, and stores them as columns, in memory of its own or in
// that of a live timeline.

import { assert } from '#engine/base/assert.ts';
import { BLOCK_BYTES_MAX, DRIVERS_MAX } from '#engine/base/limits.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { raceEventTypeNumber } from '#schemas/webhook/race-event-types.ts';
import { type ColumnMemory, GrowingColumns } from './column-memory.ts';
import type { Roster, RosterDriver } from './roster.ts';
import { sequenceOf, Timeline, type TimelineColumns } from './timeline.ts';
import { type TimelineBlock, updatesIn } from './timeline-block.ts';
import type { Update } from './update.ts';
import type { UpdateSink } from './update-sink.ts';

/** Returns a payload as JSON text. Every thread and every run must use the same function (I7). */
export type SerialisePayload = (feedId: string, payload: Readonly<Record<string, unknown>>) => string;

export interface TimelineHead {
  readonly sessionId: string;
  readonly seriesId: string;
}

/** The most UTF-8 bytes for one UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
const NO_DRIVER: RosterDriver = { number: '', tla: '', team: '' };

export class TimelineBuilder implements UpdateSink {
  readonly #head: TimelineHead;
  readonly #serialise: SerialisePayload;
  readonly #encoder = new TextEncoder();
  readonly #rosters: Roster[] = [{ fromPosition: 0, drivers: [] }];
  readonly #driverIndexes = new Map<string, number>();
  #startUtcMs: number | null = null;
  #length = 0;
  #touchedLength = 0;
  #utcMs = Number.NaN;
  #utc = '';
  #bodyLength = 0;
  readonly #memory: ColumnMemory;
  #columns: TimelineColumns;

  constructor(head: TimelineHead, serialise: SerialisePayload, memory: ColumnMemory = new GrowingColumns()) {
    this.#head = head;
    this.#serialise = serialise;
    this.#memory = memory;
    this.#columns = memory.reserve(0, 0, 0);
  }

  get length(): number {
    return this.#length;
  }

  /** How many drivers have an index. */
  get drivers(): number {
    return this.#driverIndexes.size;
  }

  /** Which drivers were known from which position on. */
  get rosters(): readonly Roster[] {
    return this.#rosters;
  }

  /** Unix epoch milliseconds, the zero of `dueMs`; null before `start` and the first update. */
  get startUtcMs(): number | null {
    return this.#startUtcMs;
  }

  /** Sets the drivers known from the next update on. A driver, identified by racing number, keeps the same index. */
  roster(drivers: Iterable<RosterDriver>): void {
    const known = this.#rosters.at(-1)!;
    const next = [...known.drivers];
    let changed = false;
    for (const driver of drivers) {
      const index = this.#driverIndex(driver.number);
      while (next.length <= index) next.push(NO_DRIVER);
      const before = next[index]!;
      if (before.number === driver.number && before.tla === driver.tla && before.team === driver.team) continue;
      next[index] = { number: driver.number, tla: driver.tla, team: driver.team };
      changed = true;
    }
    if (!changed) return;
    this.#pushRoster({ fromPosition: this.#length, drivers: next });
  }

  /** Appends an update. `dueMs` never falls: an update with an earlier `utcMs` is due with its predecessor. */
  append(update: Update): void {
    this.#startUtcMs ??= update.utcMs;
    const position = this.#length;
    const text = this.#serialise(update.feed, {
      feed: update.feed,
      seriesId: this.#head.seriesId,
      sessionId: this.#head.sessionId,
      sequence: sequenceOf(position),
      utc: this.#utcOf(update.utcMs),
      ...(update.lap === null ? {} : { lap: update.lap }),
      ...update.content,
    });
    const columns = this.#memory.reserve(
      position + 1,
      this.#touchedLength + update.touched.length,
      this.#bodyLength + text.length * UTF8_BYTES_MAX,
    );
    this.#columns = columns;
    const feed = feedNumber(update.feed);
    assert(feed !== undefined, `feed ${update.feed} is in the catalogue`);
    const previousDueMs = position === 0 ? 0 : columns.dueMs[position - 1]!;
    columns.dueMs[position] = Math.max(previousDueMs, Math.round(update.utcMs - this.#startUtcMs));
    columns.feed[position] = feed;
    columns.eventType[position] = update.eventType === null ? 0 : raceEventTypeNumber(update.eventType)!;
    let low = 0;
    let high = 0;
    for (const { number, position: racePosition } of update.touched) {
      const index = this.#driverIndex(number);
      if (index < 32) low |= 1 << index;
      else high |= 1 << (index - 32);
      columns.touchedDriver[this.#touchedLength] = index;
      columns.touchedPosition[this.#touchedLength] = racePosition;
      this.#touchedLength++;
    }
    columns.driversLow[position] = low >>> 0;
    columns.driversHigh[position] = high >>> 0;
    columns.touchedStart[position + 1] = this.#touchedLength;
    this.#bodyLength += this.#encoder.encodeInto(text, columns.bodies.subarray(this.#bodyLength)).written;
    columns.bodyStart[position + 1] = this.#bodyLength;
    this.#length++;
  }

  /**
   * Returns the updates from a position on, over views of the columns: as many as fit into BLOCK_BYTES_MAX, but at least
   * one. `drivers` had an index before them.
   */
  blockFrom(from: number, drivers: number): TimelineBlock {
    const { dueMs, feed, eventType, driversLow, driversHigh, bodies, ...touching } = this.#columns;
    const { touchedStart, touchedDriver, touchedPosition, bodyStart } = touching;
    const firstTouched = from === 0 ? 0 : touchedStart[from]!;
    const firstByte = from === 0 ? 0 : bodyStart[from]!;
    let to = this.#length;
    while (to > from + 1 && bodyStart[to]! - firstByte > BLOCK_BYTES_MAX) to = from + Math.ceil((to - from) / 2);
    return {
      from,
      columns: {
        dueMs: bytesOf(dueMs, from, to),
        feed: bytesOf(feed, from, to),
        eventType: bytesOf(eventType, from, to),
        driversLow: bytesOf(driversLow, from, to),
        driversHigh: bytesOf(driversHigh, from, to),
        touchedStart: bytesOf(touchedStart, from + 1, to + 1),
        touchedDriver: bytesOf(touchedDriver, firstTouched, touchedStart[to]!),
        touchedPosition: bytesOf(touchedPosition, firstTouched, touchedStart[to]!),
        bodyStart: bytesOf(bodyStart, from + 1, to + 1),
        bodies: bytesOf(bodies, firstByte, bodyStart[to]!),
      },
      rosters: this.#rosters.filter(({ fromPosition }) => fromPosition >= from && fromPosition < to),
      drivers: [...this.#driverIndexes.keys()].slice(drivers),
    };
  }

  /** Appends the updates of a block, as `blockFrom` has returned it, behind those before it. */
  restore(block: TimelineBlock): void {
    assert(block.from === this.#length, 'the blocks of a timeline follow one another');
    const from = this.#length;
    const firstTouched = this.#touchedLength;
    const firstByte = this.#bodyLength;
    const length = from + updatesIn(block);
    const touchedLength = firstTouched + block.columns.touchedDriver.length;
    const bodyLength = firstByte + block.columns.bodies.length;
    const columns = this.#memory.reserve(length, touchedLength, bodyLength);
    this.#columns = columns;
    bytesOf(columns.dueMs, from, length).set(block.columns.dueMs);
    bytesOf(columns.feed, from, length).set(block.columns.feed);
    bytesOf(columns.eventType, from, length).set(block.columns.eventType);
    bytesOf(columns.driversLow, from, length).set(block.columns.driversLow);
    bytesOf(columns.driversHigh, from, length).set(block.columns.driversHigh);
    bytesOf(columns.touchedStart, from + 1, length + 1).set(block.columns.touchedStart);
    bytesOf(columns.touchedDriver, firstTouched, touchedLength).set(block.columns.touchedDriver);
    bytesOf(columns.touchedPosition, firstTouched, touchedLength).set(block.columns.touchedPosition);
    bytesOf(columns.bodyStart, from + 1, length + 1).set(block.columns.bodyStart);
    bytesOf(columns.bodies, firstByte, bodyLength).set(block.columns.bodies);
    for (const roster of block.rosters) this.#pushRoster(roster);
    for (const number of block.drivers) this.#driverIndex(number);
    this.#length = length;
    this.#touchedLength = touchedLength;
    this.#bodyLength = bodyLength;
  }

  /** Sets the time from which `dueMs` counts: that of the first frame, `utcMs`. Must come before the first update. */
  start(utcMs: number): void {
    assert(this.#length === 0, 'a timeline starts before its first update');
    this.#startUtcMs = utcMs;
  }

  /** Returns the timeline so far, over copies of exactly its size. `endUtcMs` is the time of the last frame. */
  build(frames: number, endUtcMs: number): Timeline {
    const startUtcMs = this.#startUtcMs ?? endUtcMs;
    const from = this.#columns;
    const columns: TimelineColumns = {
      dueMs: from.dueMs.slice(0, this.#length),
      feed: from.feed.slice(0, this.#length),
      eventType: from.eventType.slice(0, this.#length),
      driversLow: from.driversLow.slice(0, this.#length),
      driversHigh: from.driversHigh.slice(0, this.#length),
      touchedStart: from.touchedStart.slice(0, this.#length + 1),
      touchedDriver: from.touchedDriver.slice(0, this.#touchedLength),
      touchedPosition: from.touchedPosition.slice(0, this.#touchedLength),
      bodyStart: from.bodyStart.slice(0, this.#length + 1),
      bodies: from.bodies.slice(0, this.#bodyLength),
    };
    const durationMs = Math.max(0, Math.round(endUtcMs - startUtcMs));
    return new Timeline({ ...this.#head, startUtcMs, durationMs, frames, rosters: this.#rosters }, columns);
  }

  #pushRoster(roster: Roster): void {
    // No update has needed one from the same position.
    if (this.#rosters.at(-1)!.fromPosition === roster.fromPosition) this.#rosters.pop();
    this.#rosters.push(roster);
  }

  /** All updates of a frame have its time. */
  #utcOf(utcMs: number): string {
    if (utcMs !== this.#utcMs) {
      this.#utcMs = utcMs;
      this.#utc = new Date(utcMs).toISOString();
    }
    return this.#utc;
  }

  #driverIndex(number: string): number {
    const known = this.#driverIndexes.get(number);
    if (known !== undefined) return known;
    const index = this.#driverIndexes.size;
    assert(index < DRIVERS_MAX, `a session has at most ${DRIVERS_MAX} drivers`);
    this.#driverIndexes.set(number, index);
    return index;
  }
}

/** The bytes of a column's entries, as a view. */
function bytesOf(column: Uint8Array | Uint32Array, from: number, to: number): Uint8Array {
  const part = column.subarray(from, to);
  return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
}
