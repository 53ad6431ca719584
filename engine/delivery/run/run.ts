// A run on one shard: a timeline, and how much of it is due. Each shard computes that by itself, from the run's start
// or from the live timeline's length, so a due update costs no message between threads.

import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { Selection } from './selection.ts';

export interface Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  /** The attempts that the account has left this month. */
  readonly allowance: Allowance;
  /** The positions that it sends, of a resend; null: all of them. */
  readonly selection: Selection | null;
  /** Positions before this one are due. */
  readonly due: number;
  /** Positions from this one on will never be due; Infinity until the end is known. */
  readonly end: number;
  readonly stopped: boolean;
  /** Advances to `nowMs`. Returns whether updates fell due or the end became known. */
  advance(nowMs: number): boolean;
  /** Returns when the next update is due, on the monotonic clock; Infinity if none is left or the time is unknown. */
  nextDueMs(): number;
  /** Returns when this update is or was due, on the monotonic clock. */
  dueAtMs(position: number): number;
  /** Whether a process before this one published this update, live: when that was, nobody knows any more. */
  isOfEarlierProcess(position: number): boolean;
  /** Ends the run where it is: no more updates fall due. */
  stop(): void;
}
