// What an endpoint has missed: of one replay, or of the live delivery of one session, together with their resends.
//
// A failed update is in the delivery log with its last attempt. What was skipped is recorded as spans: each holds every
// update of the span that matched then. Whatever any of the runs has delivered is not missed any more.
//
// Checkpoints may come late (R8). What the log or a span shows as ended is not under way, though a checkpoint says so.

import type { SkipReason } from '#engine/delivery/skip-reason.ts';

/** Every matching update from `first` to `last`, which are positions, was skipped for this reason. */
export interface SkippedSpan {
  readonly first: number;
  readonly last: number;
  readonly reason: SkipReason;
}

/** How the updates of an endpoint have ended in one run, as far as that is recorded. */
export interface RunOutcomes {
  /** Positions. */
  readonly delivered: readonly number[];
  readonly failed: readonly number[];
  readonly skipped: readonly SkippedSpan[];
  /** Positions that are not settled. */
  readonly pending: readonly number[];
  /** What a resend was to send; null for other runs. A span of a resend says nothing about other positions. */
  readonly selection: Uint32Array | null;
}

export interface Wanted {
  readonly failed: boolean;
  /** Reasons of skipped updates. */
  readonly reasons: ReadonlySet<string>;
}

/** Returns the positions, rising. Those of spans may include updates that did not match. */
export function missedUpdates(runs: readonly RunOutcomes[], { failed, reasons }: Wanted): Uint32Array {
  const missed = new Set<number>();
  for (const run of runs) {
    if (failed) for (const position of run.failed) missed.add(position);
    const selection = run.selection === null ? null : new Set(run.selection);
    for (const { first, last, reason } of run.skipped) {
      if (!reasons.has(reason)) continue;
      for (let position = first; position <= last; position++)
        if (selection === null || selection.has(position)) missed.add(position);
    }
  }
  for (const run of runs) {
    for (const position of run.delivered) missed.delete(position);
    const hasFailed = new Set(run.failed);
    for (const position of run.pending) {
      const isSkipped = run.skipped.some(({ first, last }) => first <= position && position <= last);
      if (!hasFailed.has(position) && !isSkipped) missed.delete(position);
    }
  }
  return Uint32Array.from(missed).sort();
}
