// One service for each database: a second one would end the live runs of the first and deliver beside it. The lock belongs
// to a connection of its own, so PostgreSQL gives it back as soon as the process is gone, however it ended.

import { setTimeout as pause } from 'node:timers/promises';
import { SERVICE_LOCK_POLL_MS, SERVICE_LOCK_WAIT_MS } from '#engine/limits.ts';
import type { Sql } from './postgres-client.ts';
import { StorageError } from './storage-error.ts';

/** Any number that nobody else takes in this database. */
const LOCK = 7_305_808_865;

/**
 * Takes the database for this service until the connection ends. `sql` must have one connection and be used for nothing
 * else. Waits a little for a service that is just ending; throws a StorageError when another one keeps the database.
 */
export async function lockForService(sql: Sql, waitMs = SERVICE_LOCK_WAIT_MS): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += SERVICE_LOCK_POLL_MS) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK}::bigint) as taken`;
    if (row!.taken) return;
    if (waitedMs >= waitMs) break;
    await pause(SERVICE_LOCK_POLL_MS);
  }
  throw new StorageError('DATABASE_URL: another service uses this database. End it first, or choose another database.');
}
