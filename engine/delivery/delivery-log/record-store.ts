// The store of attempts, usage and checkpoints. They are written together or not at all.
//
// One batch is one atomic statement: the attempts of the delivery log, the usage and latencies they add (I10), and the
// checkpoint of every actor that changed, with what became of the updates that it has decided since the last one (PU1). A batch is identified by its writer and number, so one whose confirmation was
// lost can be sent again and is written once.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { DueDelta } from '#engine/delivery/usage/due-outcome.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { placeOf } from '#engine/timeline/snapshot-number.ts';
import type { HealthDelta } from './endpoint-health.ts';
import type { SkippedSpan } from './missed-updates.ts';

/** One line of the delivery log. */
export interface AttemptRecord {
  readonly webhookNo: number;
  /** Null for test deliveries. */
  readonly runNo: number | null;
  readonly mode: DeliveryMode;
  /** The feed's number in the catalogue. */
  readonly feed: number;
  readonly sequence: number;
  /** 1 to ATTEMPTS_MAX. */
  readonly attempt: number;
  readonly result: AttemptResult;
  readonly latencyMs: number;
  /** From when the update was due to the end of the attempt. Null for test deliveries. */
  readonly lagMs: number | null;
  /** Unix epoch milliseconds at which the attempt started. */
  readonly createdAtMs: number;
}

/** Attempts in the order in which they ended. */
export interface Attempts extends Iterable<AttemptRecord> {
  readonly length: number;
}

/** An update that was started but is not settled. */
export interface PendingUpdate {
  /** Of a snapshot: its number. */
  readonly position: number;
  readonly attemptsMade: number;
  /** Unix epoch milliseconds before which the next attempt must not start (I4). */
  readonly dueAtMs: number;
}

/** The state of one endpoint in one run. A restarted actor resumes from it (I1, I9). */
export interface Checkpoint {
  readonly runId: string;
  readonly webhookId: string;
  /** The first position still undecided. Every matching update before it is settled or in `pending`. */
  readonly nextPosition: number;
  readonly pending: readonly PendingUpdate[];
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  /** Counts of skipped updates, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly breaker: 'closed' | 'open';
  readonly lagMs: number;
  /** What was skipped since the checkpoint before; one that is read from the store has none. */
  readonly spans: readonly SkippedSpan[];
  /** What became of updates that were due, since the checkpoint before. Of live delivery only; absent stands for nothing. */
  readonly due?: readonly DueDelta[];
  /** The receiver had no room for positions before this one. Absent stands for 0. */
  readonly heldBefore?: number;
}

/** Shared by all checkpoints of endpoints that wait for nothing; frozen. */
export const NOTHING_PENDING: readonly PendingUpdate[] = Object.freeze([]);
/** Shared by all checkpoints without skips; frozen. */
export const NOTHING_SKIPPED: Readonly<Record<string, number>> = Object.freeze({});

/** Shared by all checkpoints without spans; frozen. */
export const NO_SPANS: readonly SkippedSpan[] = Object.freeze([]);

/** Returns the checkpoint of an endpoint that has not started. */
export function newCheckpoint(runId: string, webhookId: string): Checkpoint {
  return {
    runId,
    webhookId,
    nextPosition: 0,
    pending: NOTHING_PENDING,
    matched: 0,
    delivered: 0,
    failed: 0,
    skipped: NOTHING_SKIPPED,
    breaker: 'closed',
    lagMs: 0,
    spans: NO_SPANS,
  };
}

/** Whether every update that matched is settled or pending (I1). */
export function addsUp({ matched, pending, delivered, failed, skipped }: Checkpoint): boolean {
  let settled = delivered + failed;
  for (const reason in skipped) settled += skipped[reason]!;
  return matched === pending.length + settled;
}

/**
 * Returns the checkpoint cut to the length of the timeline. A power cut can lose the last moments of a live recording;
 * the updates that later take those positions have not been delivered.
 */
export function checkpointWithin(checkpoint: Checkpoint, length: number): Checkpoint {
  if (checkpoint.nextPosition <= length && checkpoint.pending.every(({ position }) => placeOf(position) < length))
    return checkpoint;
  const pending = checkpoint.pending.filter(({ position }) => placeOf(position) < length);
  const gone = checkpoint.pending.length - pending.length;
  const nextPosition = Math.min(checkpoint.nextPosition, length);
  return { ...checkpoint, nextPosition, pending, matched: checkpoint.matched - gone };
}

/** A writer of batches. A shard that restarts keeps its name and gets the next fencing epoch. */
export interface Writer {
  /** Never used for another writer. */
  readonly name: string;
  readonly epoch: number;
}

/** Nothing was written: the writer was never admitted, or a later epoch was. */
export class WriterSuperseded extends Error {
  override readonly name = 'WriterSuperseded';

  constructor(writer: Writer) {
    super(`writer ${writer.name} of epoch ${writer.epoch} may not commit: a later epoch has replaced it`);
  }
}

/** Nothing was written: folding is behind (G7). */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';

  constructor() {
    super(
      'the journal of the delivery log is full, because folding it is behind: see slipstream_log_journal_age_seconds',
    );
  }
}

/** Late checkpoints that become rows. */
export interface LateRows {
  /** One for each actor, as it stands with this batch. */
  readonly checkpoints: readonly Checkpoint[];
  /** All that came late with batches up to this number is rows now; 0 before the end of a first round. */
  readonly upToBatchNo: number;
}

export interface RecordBatch {
  readonly writer: Writer;
  /** Rises by one with each batch of this epoch. */
  readonly batchNo: number;
  readonly attempts: Attempts;
  readonly usage: readonly UsageDelta[];
  readonly latency: readonly LatencyDelta[];
  readonly checkpoints: readonly Checkpoint[];
  /**
   * Absent: `checkpoints` become rows, and all that came late is among them. True: they are durable with the batch, and become
   * rows with later ones.
   */
  readonly checkpointsAreLate?: true;
  /** Absent in batches that make no rows of late checkpoints, and in those without any. */
  readonly lateRows?: LateRows;
  /** One for each endpoint. Absent in most batches. */
  readonly health?: readonly HealthDelta[];
}

export interface RecordStore {
  /**
   * Lets this epoch commit, and no earlier one. An earlier commit that is still under way is durable before this
   * resolves, or never happens. Admitting an epoch again, or after a later one, has no effect.
   */
  admit(writer: Writer): Promise<void>;
  /**
   * Writes the whole batch once. Resolves when it is durable. Rejects if that is not known, and with WriterSuperseded
   * if the writer is not admitted.
   */
  commit(batch: RecordBatch): Promise<void>;
  /**
   * Returns the checkpoints of these endpoints in a run. An endpoint without one has not started. Those that came late are
   * found once they are rows, or the next epoch of their writer is admitted.
   */
  checkpoints(runId: string, webhookIds: readonly string[]): Promise<Checkpoint[]>;
}
