// A run on one shard: a timeline being played, and which part of it is due. Each shard finds out for itself, from the run's
// start or from the live timeline's length, so a due update costs no message between threads.

import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

export interface Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  /** What the account's month has left. */
  readonly allowance: Allowance;
  /** Positions before this one are due. */
  readonly due: number;
  /** Positions from this one on will never be due; Infinity while nobody knows. */
  readonly end: number;
  readonly stopped: boolean;
  /** Moves on to `nowMs`; says whether anything changed: something fell due, or the end became known. */
  advance(nowMs: number): boolean;
  /** When the next update is due, on the monotonic clock; Infinity when none is left or nobody knows. */
  nextDueMs(): number;
  /** When this update is or was due, on the monotonic clock. */
  dueAtMs(position: number): number;
  /** Nothing further falls due. */
  stop(): void;
}
