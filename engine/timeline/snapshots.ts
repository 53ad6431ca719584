// The snapshots at a position of a timeline: of every feed the state that the updates before it leave behind, as a body that
// is sent, and the drivers in it, by which filters judge it. They are made once, on the thread for states, and read in place
// by every shard.

import { assert } from '#engine/base/assert.ts';
import { FEED_STATES } from '#schemas/webhook/feed-states.ts';
import { FEEDS, type FeedId } from '#schemas/webhook/feeds.ts';
import type { FoldedStates } from './folded-states.ts';
import type { Timeline } from './timeline.ts';

/** A snapshot without its body. */
export interface SnapshotPart {
  /** The feed's number in the catalogue. */
  readonly feed: number;
  /** Its body in `bytes`. */
  readonly start: number;
  readonly end: number;
  /** The drivers in it as bits: roster indexes 0 to 31, and 32 to 63. */
  readonly low: number;
  readonly high: number;
}

export interface Snapshots {
  /** Of each feed that has a state and an update so far, rising. */
  readonly parts: readonly SnapshotPart[];
  readonly bytes: SharedArrayBuffer;
  /** By roster index: the driver's race position; 0 if unknown. */
  readonly racePositions: Uint8Array;
}

const ROSTER_MAX = 64;
const START = '{"feed":"';

/** Null if a part of the work is done: the next call resumes. See `FoldedStates.at`. */
export function makeSnapshots(
  states: FoldedStates,
  key: string,
  timeline: Timeline,
  position: number,
): Snapshots | null {
  const { low, high, seen } = driversUpTo(timeline, position);
  const feeds = FEEDS.flatMap(({ feedId }, feed) => (seen[feed] === 1 && hasState(feedId) ? [feed] : []));
  const feedIds = feeds.map((feed) => FEEDS[feed]!.feedId as FeedId);
  const texts = states.at(key, timeline, position, feedIds);
  if (texts === null) return null;
  assert(texts.length === feeds.length, 'every feed with an update so far has a state');
  const bodies = texts.map((text) => Buffer.from(snapshotBody(text)));
  const bytes = new SharedArrayBuffer(bodies.reduce((sum, body) => sum + body.length, 0));
  const memory = new Uint8Array(bytes);
  let end = 0;
  const parts = feeds.map((feed, index): SnapshotPart => {
    const start = end;
    end += bodies[index]!.length;
    memory.set(bodies[index]!, start);
    return { feed, start, end, low: low[feed]!, high: high[feed]! };
  });
  return { parts, bytes, racePositions: racePositionsUpTo(timeline, position) };
}

/** The body of a snapshot: the state, and a field that tells it from an update. */
export function snapshotBody(state: string): string {
  assert(state.startsWith(START), 'a payload begins with its feed');
  const afterFeed = state.indexOf('"', START.length) + 1;
  return `${state.slice(0, afterFeed)},"snapshot":true${state.slice(afterFeed)}`;
}

export function bodyOf({ bytes }: Snapshots, { start, end }: SnapshotPart): Uint8Array {
  return new Uint8Array(bytes, start, end - start);
}

export function hasState(feedId: string): boolean {
  return FEED_STATES[feedId as FeedId].kind !== 'none';
}

/** By feed: the drivers of its updates before `end`. Where an update is the whole state, those of the last one. */
function driversUpTo({ columns }: Timeline, end: number) {
  const low = new Uint32Array(FEEDS.length);
  const high = new Uint32Array(FEEDS.length);
  const seen = new Uint8Array(FEEDS.length);
  const replaces = FEEDS.map(({ feedId }) => FEED_STATES[feedId as FeedId].kind === 'latest');
  for (let position = 0; position < end; position++) {
    const feed = columns.feed[position]!;
    const isNew = replaces[feed]!;
    seen[feed] = 1;
    low[feed] = columns.driversLow[position]! | (isNew ? 0 : low[feed]!);
    high[feed] = columns.driversHigh[position]! | (isNew ? 0 : high[feed]!);
  }
  return { low, high, seen };
}

function racePositionsUpTo({ columns }: Timeline, end: number): Uint8Array {
  const { touchedStart, touchedDriver, touchedPosition } = columns;
  const known = new Uint8Array(ROSTER_MAX);
  for (let i = 0; i < touchedStart[end]!; i++)
    if (touchedPosition[i] !== 0) known[touchedDriver[i]!] = touchedPosition[i]!;
  return known;
}
