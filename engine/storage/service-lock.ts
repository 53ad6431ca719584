// One service for each database: a second one would end the live runs of the first and deliver beside it. The lock belongs
// to a connection of its own, so PostgreSQL gives it back as soon as the process is gone, however it ended.
//
// It is also gone when that connection is, as after a restart of the database. So it is taken again once a second, which costs
// nothing while it is held; when another service was quicker, this one hears of it and must end at once.

import { setTimeout as pause } from 'node:timers/promises';
import { SERVICE_LOCK_POLL_MS, SERVICE_LOCK_WAIT_MS, SERVICE_LOCK_WATCH_MS } from '#engine/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { connect, type Sql } from './postgres-client.ts';
import { StorageError } from './storage-error.ts';

/** Any number that nobody else takes in this database. */
const LOCK = 7_305_808_865;
const END_TIMEOUT_S = 1;

export interface ServiceLock {
  /** Gives the database back. */
  release(): Promise<void>;
}

/**
 * Takes the database for this service. Waits a little for a service that is just ending; throws a StorageError when another
 * one keeps the database. `lost` is called, once, when another one has taken it meanwhile.
 */
export async function lockForService(
  connection: ConnectionSettings,
  lost: () => void,
  waitMs = SERVICE_LOCK_WAIT_MS,
): Promise<ServiceLock> {
  const sql = connect(connection, { max: 1, name: 'service-lock', kept: true });
  try {
    await taken(sql, waitMs);
  } catch (error) {
    await sql.end({ timeout: END_TIMEOUT_S });
    throw error;
  }
  let timer: NodeJS.Timeout;
  let released = false;
  const watch = async (): Promise<void> => {
    // While the database is away nobody else can take it, either.
    const held = await tryTake(sql).catch(() => true);
    if (released) return;
    if (held) timer = setTimeout(watch, SERVICE_LOCK_WATCH_MS).unref();
    else lost();
  };
  timer = setTimeout(watch, SERVICE_LOCK_WATCH_MS).unref();
  return {
    async release() {
      released = true;
      clearTimeout(timer);
      await sql.end({ timeout: END_TIMEOUT_S });
    },
  };
}

async function taken(sql: Sql, waitMs: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += SERVICE_LOCK_POLL_MS) {
    if (await tryTake(sql)) return;
    if (waitedMs >= waitMs) break;
    await pause(SERVICE_LOCK_POLL_MS);
  }
  throw new StorageError('DATABASE_URL: another service uses this database. End it first, or choose another database.');
}

/** Whether this connection has the lock now; asked again by whoever has it, it answers yes. */
async function tryTake(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK}::bigint) as taken`;
  return row!.taken;
}
