// Numbers updates, serialises each body once, and collects them as columns.

import { assert } from '#engine/assert.ts';
import { DRIVERS_MAX, TIMELINE_BODY_BYTES_MAX, TIMELINE_UPDATES_MAX } from '#engine/limits.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { raceEventTypeNumber } from '#schemas/webhook/race-event-types.ts';
import type { Roster, RosterDriver } from './roster.ts';
import { sequenceOf, Timeline, type TimelineColumns } from './timeline.ts';
import type { Update } from './update.ts';

/** Turns a payload into its JSON text. The same function for every thread and every run (I7). */
export type SerialisePayload = (feedId: string, payload: Readonly<Record<string, unknown>>) => string;

export interface TimelineHead {
  readonly sessionId: string;
  readonly seriesId: string;
}

const NO_DRIVER: RosterDriver = { number: '', tla: '', team: '' };

export class TimelineBuilder {
  readonly #head: TimelineHead;
  readonly #serialise: SerialisePayload;
  readonly #encoder = new TextEncoder();
  readonly #rosters: Roster[] = [{ fromPosition: 0, drivers: [] }];
  readonly #driverIndexes = new Map<string, number>();
  #startUtcMs: number | null = null;
  #length = 0;
  #touchedLength = 0;
  #bodyLength = 0;
  #dueMs = new Uint32Array(1024);
  #feed = new Uint8Array(1024);
  #eventType = new Uint8Array(1024);
  #driversLow = new Uint32Array(1024);
  #driversHigh = new Uint32Array(1024);
  #touchedStart = new Uint32Array(1025);
  #bodyStart = new Uint32Array(1025);
  #touchedDriver = new Uint8Array(4096);
  #touchedPosition = new Uint8Array(4096);
  #bodies = new Uint8Array(1024 * 1024);

  constructor(head: TimelineHead, serialise: SerialisePayload) {
    this.#head = head;
    this.#serialise = serialise;
  }

  get length(): number {
    return this.#length;
  }

  /** Says who is known from the next update on. Drivers keep their index by racing number. */
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
    const roster = { fromPosition: this.#length, drivers: next };
    if (known.fromPosition === this.#length) this.#rosters[this.#rosters.length - 1] = roster;
    else this.#rosters.push(roster);
  }

  /** Appends an update. `utcMs` never falls; a late one counts as due with its predecessor. */
  append(update: Update): void {
    assert(this.#length < TIMELINE_UPDATES_MAX, `a timeline has at most ${TIMELINE_UPDATES_MAX} updates`);
    this.#startUtcMs ??= update.utcMs;
    const position = this.#length;
    const body = this.#encoder.encode(
      this.#serialise(update.feed, {
        feed: update.feed,
        seriesId: this.#head.seriesId,
        sessionId: this.#head.sessionId,
        sequence: sequenceOf(position),
        utc: new Date(update.utcMs).toISOString(),
        ...(update.lap === null ? {} : { lap: update.lap }),
        ...update.content,
      }),
    );
    this.#reserve(update.touched.length, body.length);
    const feed = feedNumber(update.feed);
    assert(feed !== undefined, `feed ${update.feed} is in the catalogue`);
    const previousDueMs = position === 0 ? 0 : this.#dueMs[position - 1]!;
    this.#dueMs[position] = Math.max(previousDueMs, Math.round(update.utcMs - this.#startUtcMs));
    this.#feed[position] = feed;
    this.#eventType[position] = update.eventType === null ? 0 : raceEventTypeNumber(update.eventType)!;
    let low = 0;
    let high = 0;
    for (const { number, position: racePosition } of update.touched) {
      const index = this.#driverIndex(number);
      if (index < 32) low |= 1 << index;
      else high |= 1 << (index - 32);
      this.#touchedDriver[this.#touchedLength] = index;
      this.#touchedPosition[this.#touchedLength] = racePosition;
      this.#touchedLength++;
    }
    this.#driversLow[position] = low >>> 0;
    this.#driversHigh[position] = high >>> 0;
    this.#touchedStart[position + 1] = this.#touchedLength;
    this.#bodies.set(body, this.#bodyLength);
    this.#bodyLength += body.length;
    this.#bodyStart[position + 1] = this.#bodyLength;
    this.#length++;
  }

  /**
   * Sets the time zero of the timeline before the first update, so that `dueMs` counts from the first frame.
   * `utcMs` is Unix epoch milliseconds.
   */
  start(utcMs: number): void {
    assert(this.#length === 0, 'a timeline starts before its first update');
    this.#startUtcMs = utcMs;
  }

  /** The timeline so far, over copies of exactly its size. `endUtcMs` is the time of the last frame. */
  build(frames: number, endUtcMs: number): Timeline {
    const startUtcMs = this.#startUtcMs ?? endUtcMs;
    const columns: TimelineColumns = {
      dueMs: this.#dueMs.slice(0, this.#length),
      feed: this.#feed.slice(0, this.#length),
      eventType: this.#eventType.slice(0, this.#length),
      driversLow: this.#driversLow.slice(0, this.#length),
      driversHigh: this.#driversHigh.slice(0, this.#length),
      touchedStart: this.#touchedStart.slice(0, this.#length + 1),
      touchedDriver: this.#touchedDriver.slice(0, this.#touchedLength),
      touchedPosition: this.#touchedPosition.slice(0, this.#touchedLength),
      bodyStart: this.#bodyStart.slice(0, this.#length + 1),
      bodies: this.#bodies.slice(0, this.#bodyLength),
    };
    const durationMs = Math.max(0, Math.round(endUtcMs - startUtcMs));
    return new Timeline({ ...this.#head, startUtcMs, durationMs, frames, rosters: this.#rosters }, columns);
  }

  #driverIndex(number: string): number {
    const known = this.#driverIndexes.get(number);
    if (known !== undefined) return known;
    const index = this.#driverIndexes.size;
    assert(index < DRIVERS_MAX, `a session has at most ${DRIVERS_MAX} drivers`);
    this.#driverIndexes.set(number, index);
    return index;
  }

  #reserve(touched: number, bodyBytes: number): void {
    if (this.#length === this.#dueMs.length) {
      const size = this.#length * 2;
      this.#dueMs = grown(this.#dueMs, size);
      this.#feed = grown(this.#feed, size);
      this.#eventType = grown(this.#eventType, size);
      this.#driversLow = grown(this.#driversLow, size);
      this.#driversHigh = grown(this.#driversHigh, size);
      this.#touchedStart = grown(this.#touchedStart, size + 1);
      this.#bodyStart = grown(this.#bodyStart, size + 1);
    }
    if (this.#touchedLength + touched > this.#touchedDriver.length) {
      this.#touchedDriver = grown(this.#touchedDriver, this.#touchedDriver.length * 2 + touched);
      this.#touchedPosition = grown(this.#touchedPosition, this.#touchedPosition.length * 2 + touched);
    }
    if (this.#bodyLength + bodyBytes > this.#bodies.length) {
      assert(this.#bodyLength + bodyBytes <= TIMELINE_BODY_BYTES_MAX, 'the bodies of a timeline fit their limit');
      this.#bodies = grown(this.#bodies, this.#bodies.length * 2 + bodyBytes);
    }
  }
}

function grown<Column extends Uint8Array | Uint32Array>(column: Column, length: number): Column {
  const wider = new (column.constructor as new (length: number) => Column)(length);
  wider.set(column);
  return wider;
}
