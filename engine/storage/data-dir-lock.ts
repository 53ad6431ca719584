// Allows one service per DATA_DIR: two would write the same recordings and deliver the same runs twice. Commands need
// no lock.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TimerClock } from '#engine/base/clock.ts';
import type { RandomBytes } from '#engine/base/random.ts';
import { claimPidFile, type PidFile } from './embedded/pid-file.ts';
import { StorageError } from './storage-error.ts';

/**
 * Locks DATA_DIR for this process until released. Throws a StorageError that names the process which holds the lock.
 */
export async function lockDataDir(dataDir: string, clock: TimerClock, randomBytes: RandomBytes): Promise<PidFile> {
  await mkdir(dataDir, { recursive: true });
  const claim = await claimPidFile(join(dataDir, 'service.pid'), clock, randomBytes);
  if (claim.kind === 'held') return claim.file;
  const holder = claim.pid === null ? 'another process' : `process ${claim.pid}`;
  throw new StorageError(
    `DATA_DIR: a service is already running on ${dataDir} (${holder}). Stop it, or give this one a DATA_DIR of its own.`,
  );
}
