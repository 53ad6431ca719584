// Checkpoints of a group commit in one row, until they are rows of their own (R8).

import { decode, encode } from '#engine/base/codec.ts';
import { CheckpointSet } from './checkpoint-set.ts';
import { type Checkpoint, NO_SPANS } from './record-store.ts';

/** Those of one batch. */
export interface LateCheckpoints {
  readonly batchNo: bigint;
  readonly bytes: Uint8Array;
}

/** MessagePack: an array of up to 2^32 - 1 elements, whose number follows. */
const ARRAY_32 = 0xdd;

/**
 * Without spans and due updates: these are written with the batch. Yields between parts of `atOnceMax` checkpoints, then
 * returns the bytes: one array of all.
 */
export function* encodeCheckpoints(
  checkpoints: readonly Checkpoint[],
  atOnceMax: number,
): Generator<void, Uint8Array<ArrayBuffer>> {
  const head = Buffer.alloc(5);
  head.writeUInt8(ARRAY_32);
  head.writeUInt32BE(checkpoints.length, 1);
  const parts: Uint8Array[] = [head];
  for (let index = 0; index < checkpoints.length; index++) {
    if (index > 0 && index % atOnceMax === 0) yield;
    parts.push(encode(standing(checkpoints[index]!)));
  }
  return Buffer.concat(parts);
}

/** What is left of a checkpoint once what it skipped and decided is written. Fields that are named cost a fifth of a rest. */
export function standing(checkpoint: Checkpoint): Omit<Checkpoint, 'spans' | 'due'> {
  return {
    runId: checkpoint.runId,
    webhookId: checkpoint.webhookId,
    nextPosition: checkpoint.nextPosition,
    pending: checkpoint.pending,
    matched: checkpoint.matched,
    delivered: checkpoint.delivered,
    failed: checkpoint.failed,
    skipped: checkpoint.skipped,
    breaker: checkpoint.breaker,
    lagMs: checkpoint.lagMs,
    heldBefore: checkpoint.heldBefore ?? 0,
  };
}

/** The last checkpoint of each actor, from rows in any order, each of which has one of an actor at most. */
export function latestOf(rows: readonly LateCheckpoints[]): Checkpoint[] {
  // From the newest to the oldest: dozens of rows may have a checkpoint of every actor, and only the last ones stay in memory.
  const newestFirst = [...rows].sort((a, b) => (a.batchNo < b.batchNo ? 1 : -1));
  const set = new CheckpointSet();
  for (const { bytes } of newestFirst)
    for (const checkpoint of decodeCheckpoints(bytes)) if (!set.has(checkpoint)) set.add(checkpoint);
  return set.list();
}

/** Keeps the last checkpoint of each actor. */
export function latest(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  const set = new CheckpointSet();
  for (const checkpoint of checkpoints) set.add(checkpoint);
  return set.list();
}

function decodeCheckpoints(bytes: Uint8Array): Checkpoint[] {
  const checkpoints = decode(bytes) as Omit<Checkpoint, 'spans'>[];
  return checkpoints.map((checkpoint) => ({ ...checkpoint, spans: NO_SPANS }));
}
