// Allows one service per database: a second one would end the live runs of the first and deliver the same updates. The
// lock belongs to a connection of its own, so PostgreSQL releases it when the process ends, in whatever way.
//
// The lock is also lost when that connection is lost, as after a restart of the database. So it is taken again every
// second, which costs nothing while it is held. If another service was faster, this one is notified and must end at
// once. If the database has not noticed that our earlier connection broke, that connection still holds the lock: then
// it is terminated, and does not count as another service.
//
// The nodes of a cluster share the lock, so a cluster and a service alone exclude each other. Which of its nodes lives and
// who owns what, the cluster decides otherwise (engine/nodes/).
//
// With several servers the lock is that of the primary. After a promotion no session of the old primary lives on the new
// one: the lock is free there, and whoever takes it first has the database. A service that holds the lock on the old
// primary leaves it as soon as it sees the newer timeline (primary-watch.ts), also if the old one still takes writes,
// and then takes the lock of the new one or, if another service has it, ends at once. Until then, up to two seconds or
// as long as it cannot reach the new primary, two services believe that they hold the lock. Only one of them can record
// anything, because an old primary commits nothing without its synchronous standby; and what it could not record before
// the other admitted its writers is refused for ever (postgres-record-store.ts).
//
// A service takes the lock before it migrates, and a command migrates only while it can hold the lock: the schema never
// changes under a service alone. Under nodes of a cluster only another node changes it (engine/nodes/older-nodes.ts).

import type { TimerClock } from '#engine/base/clock.ts';
import {
  DATABASE_QUICK_END_S,
  DATABASE_SILENCE_MS_MAX,
  LOCK_RECONNECT_MS_MAX,
  SERVICE_LOCK_WAIT_MS,
} from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { type MigrationGuard, MigrationRefused } from './migrations.ts';
import { connect, type Sql } from './postgres-client.ts';
import { watchPrimary } from './primary-watch.ts';
import { StorageError } from './storage-error.ts';

/** How often a waiting service tries to take the lock. */
const POLL_MS = 250;
/** How often a service makes sure that it still holds the lock. */
const WATCH_MS = 1_000;
/** The number of an advisory lock. Arbitrary, but unique in the database. */
const LOCK = 7_305_808_865;

/** A service has the database for itself, or shares it with the nodes of its cluster. */
export type LockMode = 'alone' | 'cluster';

export interface ServiceLock {
  /** Releases the database. */
  release(): Promise<void>;
}

/**
 * Locks the database for this service. Waits briefly for a service that is just ending. Throws a StorageError when
 * another one keeps the lock. Calls `lost` once if another service takes it later.
 */
export async function lockForService(
  connection: ConnectionSettings,
  clock: TimerClock,
  lost: () => void,
  mode: LockMode = 'alone',
  waitMs = SERVICE_LOCK_WAIT_MS,
): Promise<ServiceLock> {
  const sql = connect(connection, {
    max: 1,
    name: 'service-lock',
    clock,
    kept: true,
    silenceMsMax: DATABASE_SILENCE_MS_MAX,
    // Another service must not be faster.
    reconnectMsMax: LOCK_RECONNECT_MS_MAX,
  });
  let holder: Holder;
  try {
    holder = await taken(sql, clock, mode, waitMs);
  } catch (error) {
    await sql.end({ timeout: DATABASE_QUICK_END_S });
    throw error;
  }
  const takeAgain = async (): Promise<boolean> => {
    const taker = await tryTake(sql, mode);
    if (taker === null) return endEarlier(sql, holder);
    holder = taker;
    return true;
  };
  let released = false;
  const stopWatch = watchPrimary(connection, clock);
  const stop = clock.every(WATCH_MS, async () => {
    // While the database is unreachable, no other service can take the lock either.
    const held = await takeAgain().catch(() => true);
    if (held || released) return;
    stop();
    lost();
  });
  return {
    async release() {
      released = true;
      stop();
      await stopWatch();
      await sql.end({ timeout: DATABASE_QUICK_END_S });
    },
  };
}

/** Whether a service holds the database. */
export async function isServiceRunning(sql: Sql): Promise<boolean> {
  // PostgreSQL shows the two halves of the lock's number.
  const [row] = await sql<{ held: boolean }[]>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = ${LOCK}::bigint
    ) as held`;
  return row!.held;
}

/** Refuses while a service runs on the database. None can begin before the transaction ends: a starting one waits for it. */
export const refuseWhileServed: MigrationGuard = async (transaction, pending) => {
  const [row] = await transaction<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as free`;
  if (row!.free) return;
  throw new MigrationRefused(
    `A service is running on the database at migration ${pending[0]!.number - 1}, and this version would migrate it to ` +
      `${pending.at(-1)!.number}. Restart the service with this version first, or use the version that is running. ` +
      'Nothing was changed.',
  );
};

const HELD: Readonly<Record<LockMode, string>> = {
  alone:
    'DATABASE_URL: another service uses this database. Stop it first, or choose another database. ' +
    'Services that are to share it all need CLUSTER=on.',
  cluster: 'CLUSTER: a service without CLUSTER=on uses this database. Stop it first, or choose another database.',
};

/** A connection as PostgreSQL knows it. */
interface Holder {
  readonly pid: number;
  readonly began: string;
}

async function taken(sql: Sql, clock: TimerClock, mode: LockMode, waitMs: number): Promise<Holder> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const holder = await tryTake(sql, mode);
    if (holder !== null) return holder;
    if (waitedMs >= waitMs) break;
    await clock.sleep(POLL_MS);
  }
  throw new StorageError(HELD[mode]);
}

/** Tries to take the lock. Returns this connection if it holds the lock now, also if it held it before; else null. */
async function tryTake(sql: Sql, mode: LockMode): Promise<Holder | null> {
  const taken =
    mode === 'alone' ? sql`pg_try_advisory_lock(${LOCK}::bigint)` : sql`pg_try_advisory_lock_shared(${LOCK}::bigint)`;
  const [row] = await sql<(Holder & { taken: boolean })[]>`
    select ${taken} as taken, pid, backend_start::text as began
    from pg_stat_activity where pid = pg_backend_pid()`;
  return row!.taken ? row! : null;
}

/** Terminates our earlier connection. Returns whether it still existed. */
async function endEarlier(sql: Sql, { pid, began }: Holder): Promise<boolean> {
  const ended = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and backend_start::text = ${began}`;
  return ended.length > 0;
}
