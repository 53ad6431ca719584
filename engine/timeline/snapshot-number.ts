// The numbers of snapshots. A snapshot is the state of one feed after the updates before a place of the timeline. Wherever an
// update has its position, a snapshot has a number: in checkpoints, in spans of what was skipped, and, one higher, in the
// delivery log and in delivery ids. The numbers are above every position and below 2^31, and the same after a crash.

import { assert } from '#engine/base/assert.ts';
import { TIMELINE_UPDATES_MAX } from '#engine/base/limits.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

/** Below this one are positions of updates. */
export const SNAPSHOTS_FROM = 2 ** 30;
const PLACES = 2 ** 22;

assert(TIMELINE_UPDATES_MAX < PLACES, 'every place of a timeline has a number');
assert(FEEDS.length * PLACES <= SNAPSHOTS_FROM, 'every feed has numbers below 2^31');

/** The number of the snapshot of a feed that precedes the update at this position. */
export function snapshotNumber(feed: number, position: number): number {
  return SNAPSHOTS_FROM + feed * PLACES + position;
}

/** The feed's number in the catalogue. */
export function snapshotFeed(number: number): number {
  return Math.floor((number - SNAPSHOTS_FROM) / PLACES);
}

/** The position of an update, or of the update that a snapshot precedes. */
export function placeOf(position: number): number {
  return position < SNAPSHOTS_FROM ? position : position & (PLACES - 1);
}
