// Where attempts, usage and checkpoints are written down, together or not at all.
//
// One batch is one atomic statement: the attempts of the delivery log, the usage and latencies they add (I10) and the
// checkpoint of every actor they settle. A batch is known by its writer and number, so that one whose answer was lost can be sent again
// and is written once.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';

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
  /** Unix epoch milliseconds at which the attempt started. */
  readonly createdAtMs: number;
}

/** An update that was begun but is not settled. */
export interface PendingUpdate {
  readonly position: number;
  readonly attemptsMade: number;
  /** Unix epoch milliseconds before which the next attempt must not start (I4). */
  readonly dueAtMs: number;
}

/** Where one endpoint stands in one run: from here a restarted actor goes on (I1, I9). */
export interface Checkpoint {
  readonly runId: string;
  readonly webhookId: string;
  /** First position not yet offered to the endpoint; everything before it is settled or in `pending`. */
  readonly nextPosition: number;
  readonly pending: readonly PendingUpdate[];
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  /** Updates not delivered on purpose, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly breaker: 'closed' | 'open';
  readonly lagMs: number;
}

const NOTHING_PENDING: readonly PendingUpdate[] = [];
/** Shared by all that have skipped nothing, and never changed. */
export const NOTHING_SKIPPED: Readonly<Record<string, number>> = Object.freeze({});

/** Where an endpoint that has not begun stands. */
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
  };
}

/** Whether everything that matched is settled or pending (I1). */
export function addsUp({ matched, pending, delivered, failed, skipped }: Checkpoint): boolean {
  let settled = delivered + failed;
  for (const reason in skipped) settled += skipped[reason]!;
  return matched === pending.length + settled;
}

/**
 * The checkpoint as far as the timeline goes. A live recording can lose its last moments in a power cut; what takes their
 * place has not been delivered.
 */
export function checkpointWithin(checkpoint: Checkpoint, length: number): Checkpoint {
  if (checkpoint.nextPosition <= length && checkpoint.pending.every(({ position }) => position < length))
    return checkpoint;
  const pending = checkpoint.pending.filter(({ position }) => position < length);
  const gone = checkpoint.pending.length - pending.length;
  const nextPosition = Math.min(checkpoint.nextPosition, length);
  return { ...checkpoint, nextPosition, pending, matched: checkpoint.matched - gone };
}

/** Who writes batches. One that dies comes back under the same name, as the next incarnation. */
export interface Writer {
  /** Unique for ever. */
  readonly name: string;
  readonly epoch: number;
}

/** Nothing was written: the writer was not admitted, or another one has taken its place. */
export class WriterSuperseded extends Error {
  override readonly name = 'WriterSuperseded';

  constructor(writer: Writer) {
    super(`another one writes down deliveries in the place of ${writer.name} (incarnation ${writer.epoch})`);
  }
}

export interface RecordBatch {
  readonly writer: Writer;
  /** Rises by one with each batch of this incarnation. */
  readonly batchNo: number;
  readonly attempts: readonly AttemptRecord[];
  readonly usage: readonly UsageDelta[];
  readonly latency: readonly LatencyDelta[];
  readonly checkpoints: readonly Checkpoint[];
}

export interface RecordStore {
  /**
   * Lets this incarnation commit, and no longer those before it: a commit of theirs that is still under way is durable as a
   * whole before this resolves, or never. Asked again, or when a later one is admitted, it changes nothing.
   */
  admit(writer: Writer): Promise<void>;
  /**
   * Writes the whole batch, once; resolves when it is durable, rejects when that is not known, and with a WriterSuperseded
   * when its writer is not admitted.
   */
  commit(batch: RecordBatch): Promise<void>;
  /** The checkpoints of a run for these endpoints; an endpoint without one has not begun. */
  checkpoints(runId: string, webhookIds: readonly string[]): Promise<Checkpoint[]>;
}
