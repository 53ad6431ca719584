// What keeps the service from doing its work, for GET /readyz: threads that are restarting, records that the database
// does not accept, a disk without room for recordings.

import { statfs } from 'node:fs/promises';
import { DISK_FREE_BYTES_MIN } from '#engine/base/limits.ts';
import type { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import type { GrpcThread } from './grpc-thread.ts';
import type { LiveThread } from './live-thread.ts';
import type { OperatorsThread } from './operators-thread.ts';

export interface ObservedParts {
  readonly dataDir: string;
  readonly router: Pick<ShardRouter, 'problems'>;
  /** Null when there is no live thread. */
  readonly live: Pick<LiveThread, 'isRestarting'> | null;
  /** Null when there is no listener for operators. */
  readonly operators: Pick<OperatorsThread, 'isRestarting'> | null;
  /** Null when there is no gRPC. */
  readonly grpc: Pick<GrpcThread, 'isRestarting'> | null;
}

/** One short text for each problem. Readiness is public, so the texts hold no details. */
export async function serviceProblems({ dataDir, router, live, operators, grpc }: ObservedParts): Promise<string[]> {
  const problems = router.problems();
  if (live?.isRestarting) problems.push('the live thread is being restarted');
  if (operators?.isRestarting) problems.push('the listener for operators is being restarted');
  if (grpc?.isRestarting) problems.push('the gRPC listener is being restarted');
  const room = await statfs(dataDir).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  if (room < DISK_FREE_BYTES_MIN) problems.push('the disk is full');
  return problems;
}
