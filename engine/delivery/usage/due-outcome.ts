// What became of an update of a live session that was due: the counts behind the 99.5 % that Custom promises
// (docs/guarantees.md). Each update that matched has exactly one.

import type { SkipReason } from '#engine/delivery/skip-reason.ts';

export const DUE_OUTCOMES = [
  /** Its first attempt began within FIRST_ATTEMPT_MS_MAX. */
  'on_time',
  /** It began later, or never, by our own doing. */
  'late',
  // What follows does not count: it was the customer's doing.
  /** All the attempts that the endpoint may have under way were unanswered. */
  'receiver_busy',
  'paused',
  'deleted',
  'filtered',
  'monthly_limit',
  'replay_only',
] as const;

export type DueOutcome = (typeof DUE_OUTCOMES)[number];
/** Those that do not count. */
export type ExcludedOutcome = Exclude<DueOutcome, 'on_time' | 'late'>;

export const EXCLUDED_OUTCOMES = DUE_OUTCOMES.filter(
  (outcome): outcome is ExcludedOutcome => outcome !== 'on_time' && outcome !== 'late',
);

/** How many updates of an actor had this outcome in a month since its last checkpoint. */
export interface DueDelta {
  /** The first day of the month (UTC), such as `2026-11-01`. */
  readonly month: string;
  readonly outcome: DueOutcome;
  readonly updates: number;
}

/** Shared by all checkpoints without any; frozen. */
export const NOTHING_DUE: readonly DueDelta[] = Object.freeze([]);

/** The outcome of an update that was skipped for this reason; null if what it has waited for decides. */
export const EXCUSES: Readonly<Record<SkipReason, ExcludedOutcome | null>> = {
  paused: 'paused',
  deleted: 'deleted',
  filtered: 'filtered',
  monthly_limit: 'monthly_limit',
  replay_only: 'replay_only',
  expired: null,
  actor_failed: null,
  // A snapshot is no update: it is never due.
  snapshot_unavailable: null,
  // Live delivery has no breaker, and nobody stops it.
  breaker_open: null,
  stopped: null,
};
