// One service for each database: a second one would end the live runs of the first and deliver beside it. The lock belongs
// to a connection of its own, so PostgreSQL gives it back as soon as the process is gone, however it ended.
//
// It is also gone when that connection is, as after a restart of the database. So it is taken again once a second, which costs
// nothing while it is held; when another service was quicker, this one hears of it and must end at once. A connection that broke
// off without the database's noticing holds it for a while yet: that one is ended, and is no other service.

import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_QUICK_END_S, DATABASE_SILENCE_MS_MAX, SERVICE_LOCK_WAIT_MS } from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { connect, type Sql } from './postgres-client.ts';
import { StorageError } from './storage-error.ts';

/** How often a service that waits for the database looks whether it has it. */
const POLL_MS = 250;
/** How often a service makes sure that the database is still its own. */
const WATCH_MS = 1_000;
/** Any number that nobody else takes in this database. */
const LOCK = 7_305_808_865;

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
  clock: TimerClock,
  lost: () => void,
  waitMs = SERVICE_LOCK_WAIT_MS,
): Promise<ServiceLock> {
  const sql = connect(connection, {
    max: 1,
    name: 'service-lock',
    clock,
    kept: true,
    silenceMsMax: DATABASE_SILENCE_MS_MAX,
  });
  let holder: Holder;
  try {
    holder = await taken(sql, clock, waitMs);
  } catch (error) {
    await sql.end({ timeout: DATABASE_QUICK_END_S });
    throw error;
  }
  const takeAgain = async (): Promise<boolean> => {
    const taker = await tryTake(sql);
    if (taker === null) return endEarlier(sql, holder);
    holder = taker;
    return true;
  };
  let released = false;
  const stop = clock.every(WATCH_MS, async () => {
    // While the database is away nobody else can take it, either.
    const held = await takeAgain().catch(() => true);
    if (held || released) return;
    stop();
    lost();
  });
  return {
    async release() {
      released = true;
      stop();
      await sql.end({ timeout: DATABASE_QUICK_END_S });
    },
  };
}

/** A connection as PostgreSQL knows it. */
interface Holder {
  readonly pid: number;
  readonly began: string;
}

async function taken(sql: Sql, clock: TimerClock, waitMs: number): Promise<Holder> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const holder = await tryTake(sql);
    if (holder !== null) return holder;
    if (waitedMs >= waitMs) break;
    await clock.sleep(POLL_MS);
  }
  throw new StorageError('DATABASE_URL: another service uses this database. End it first, or choose another database.');
}

/** This connection, if it has the lock now; asked again by whoever has it, it answers the same. */
async function tryTake(sql: Sql): Promise<Holder | null> {
  const [row] = await sql<(Holder & { taken: boolean })[]>`
    select pg_try_advisory_lock(${LOCK}::bigint) as taken, pid, backend_start::text as began
    from pg_stat_activity where pid = pg_backend_pid()`;
  return row!.taken ? row! : null;
}

/** Ends our earlier connection; answers whether it was still there. */
async function endEarlier(sql: Sql, { pid, began }: Holder): Promise<boolean> {
  const ended = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and backend_start::text = ${began}`;
  return ended.length > 0;
}
