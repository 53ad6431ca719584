// Checkpoints of a group commit in one row, until they are rows of their own (R8).

import { decode, encode } from '#engine/base/codec.ts';
import { type Checkpoint, NO_SPANS } from './record-store.ts';

/** Without spans and due updates: these are written with the batch. */
export function encodeCheckpoints(checkpoints: readonly Checkpoint[]): Uint8Array {
  return encode(checkpoints.map(({ spans, due, ...checkpoint }) => checkpoint));
}

export function decodeCheckpoints(bytes: Uint8Array): Checkpoint[] {
  const checkpoints = decode(bytes) as Omit<Checkpoint, 'spans'>[];
  return checkpoints.map((checkpoint) => ({ ...checkpoint, spans: NO_SPANS }));
}
