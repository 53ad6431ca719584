// The part of a race that a bench plays: the busiest stretch of a given length, or all of it.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assert } from '#engine/base/assert.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { Timeline, type TimelineColumns } from '#engine/timeline/timeline.ts';
import { ARCHIVE } from '../suite/shared-data.ts';

const REAL_RACE = join(ARCHIVE, '2018-azerbaijan-race');

/** The real race if it is present, else `demo`. */
export const DEFAULT_RECORDING = existsSync(REAL_RACE) ? REAL_RACE : 'demo';

export interface RaceSlice {
  /** The name of the recording. */
  readonly name: string;
  /** Starts with the race and ends with the slice, so sequences are those of the race. */
  readonly timeline: Timeline;
  /** The first position to play. */
  readonly from: number;
  readonly updates: number;
}

/** The timeline of an archive folder; for `demo`, that of the built-in race. */
export function deriveRace(recording: string): Timeline {
  if (recording === 'demo') {
    return deriveTimeline({ sessionId: DEMO_SESSION_ID, seriesId: F1.seriesId }, demoSessionFrames());
  }
  if (!existsSync(recording)) throw new Error(`--recording: there is no folder ${recording}; "demo" is built in`);
  const head = { sessionId: basename(recording), seriesId: F1.seriesId };
  return deriveTimeline(head, openSource(recording).frames());
}

/** The stretch of `lengthMs` in race time with the most updates. */
export function busiestSlice(race: Timeline, lengthMs: number): RaceSlice {
  const { dueMs } = race.columns;
  let from = 0;
  let until = 0;
  for (let begin = 0, end = 0; begin < race.length; begin++) {
    while (end < race.length && dueMs[end]! < dueMs[begin]! + lengthMs) end++;
    if (end - begin > until - from) {
      from = begin;
      until = end;
    }
  }
  return slice(race, from, until);
}

export function wholeRace(race: Timeline): RaceSlice {
  return slice(race, 0, race.length);
}

function slice(race: Timeline, from: number, until: number): RaceSlice {
  assert(until > from, 'a race has updates');
  // Only these columns define the length of the timeline; the others may be longer.
  const { dueMs, feed, eventType, driversLow, driversHigh, touchedStart, bodyStart, ...rest } = race.columns;
  const columns: TimelineColumns = {
    ...rest,
    dueMs: dueMs.subarray(0, until),
    feed: feed.subarray(0, until),
    eventType: eventType.subarray(0, until),
    driversLow: driversLow.subarray(0, until),
    driversHigh: driversHigh.subarray(0, until),
    touchedStart: touchedStart.subarray(0, until + 1),
    bodyStart: bodyStart.subarray(0, until + 1),
  };
  return { name: race.info.sessionId, timeline: new Timeline(race.info, columns), from, updates: until - from };
}

/** Describes the slice in a sentence: when in the race, and how many updates. */
export function describeSlice({ name, timeline, from, updates }: RaceSlice, speed: number): string {
  const { info, columns } = timeline;
  const clock = (position: number): string =>
    new Date(info.startUtcMs + columns.dueMs[position]!).toISOString().slice(11, 19);
  const last = timeline.length - 1;
  const seconds = (columns.dueMs[last]! - columns.dueMs[from]!) / speed / 1_000;
  return (
    `${name}, ${clock(from)} to ${clock(last)} UTC, ${updates} updates in ${seconds.toFixed(1)} s at ${speed}x ` +
    `(${(updates / Math.max(seconds, 0.001)).toFixed(0)}/s for each endpoint)`
  );
}
