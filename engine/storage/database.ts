// Opens the service's database: connects to it or starts it, locks it for the service, migrates it, and keeps house.

import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_END_S, DATABASE_QUICK_END_S, SERVICE_LOCK_WAIT_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { RandomBytes } from '#engine/base/random.ts';
import { type ConnectionSettings, describeConnection, parseDatabaseUrl } from './connection-settings.ts';
import { EmbeddedServer } from './embedded/embedded-server.ts';
import type { Durability } from './embedded/server-settings.ts';
import { type HousekeepingParts, makeDays, removeExpired } from './housekeeping.ts';
import {
  appliedMigrations,
  type Migration,
  type MigrationGuard,
  MigrationRefused,
  migrate,
  readMigrations,
} from './migrations.ts';
import { checkConnection, connect, type Sql } from './postgres-client.ts';
import { correctedDriver } from './postgres-driver.ts';
import type { RunRetention } from './run-retention.ts';
import { lockForService, refuseWhileServed, type ServiceLock } from './service-lock.ts';
import { errorCode, StorageError } from './storage-error.ts';

export interface DatabaseOptions {
  /** Null: the built-in server in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** A command joins a server that is already running. A service stops one that was left behind and starts its own. */
  readonly role: 'service' | 'command';
  readonly log: Log;
  readonly clock: TimerClock;
  readonly randomBytes: RandomBytes;
  /** How long runs and the delivery log are kept. Without it housekeeping removes nothing, so a command never does. */
  readonly retention?: RunRetention;
  /** `none` is for tests only. */
  readonly durability?: Durability;
  /**
   * Locks the database for this service before it is migrated (service-lock.ts). Called when another service has taken
   * it over.
   */
  readonly onLockLost?: () => void;
  /** This service is a node of a cluster: it shares the lock with the others. */
  readonly node?: {
    readonly nodeId: string;
    /** Asked before it migrates beside the others. */
    readonly guard: MigrationGuard;
  };
  /** Refuses a database that no service has used, and leaves it as it is. Only for a command. */
  readonly mustBeUsed?: boolean;
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[];
  /** Whether this service removes what is past its retention; asked before each pass. Default: always. */
  readonly keepsHouse?: () => boolean;
  /** Called when the built-in server has ended by itself and is being restarted. */
  readonly onExit?: () => void;
}

export interface Database {
  /** Plain data, for worker threads that open clients of their own. */
  readonly connection: ConnectionSettings;
  /** Opens a client with at most `max` connections, which `close` ends. `silenceMsMax` as in `ClientOptions`. */
  connect(max: number, name?: string, silenceMsMax?: number): Sql;
  /** Lets another service take the database, if this one holds it. */
  unlock(): Promise<void>;
  /** Ends this thread's clients, a service's quickly: its results were waited for before. */
  disconnect(): Promise<void>;
  /** Ends this thread's clients and then the built-in server. End the clients of other threads first. */
  close(): Promise<void>;
}

/** How often there is a pass of housekeeping. Partitions are made days ahead, so an hour's delay does no harm. */
const HOUSEKEEPING_EVERY_MS = 3_600_000;
/** Pause before a migration that was refused is tried again. */
const MIGRATION_REFUSED_MS = 250;
/** PostgreSQL's code of a lock that was not there in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Connects to the database, or starts it, without changing anything in it. Throws a StorageError with the next step.
 */
export async function reachDatabase(options: DatabaseOptions): Promise<Database> {
  // Checked before a built-in server starts: without the driver we could not ask it whether anyone else uses it.
  correctedDriver();
  const server =
    options.databaseUrl === null
      ? await EmbeddedServer.open({ ...options, durability: options.durability ?? 'full' })
      : null;
  const connection =
    server === null
      ? { ...parseDatabaseUrl(options.databaseUrl!), ...(options.node && { nodeId: options.node.nodeId }) }
      : server.connection;
  const clients: Sql[] = [];
  const open = (max: number, name: string, silenceMsMax?: number): Sql => {
    const sql = connect(connection, {
      max,
      name,
      clock: options.clock,
      ...(silenceMsMax !== undefined && { silenceMsMax }),
    });
    clients.push(sql);
    return sql;
  };
  const disconnect = async () => {
    const timeout = options.role === 'service' ? DATABASE_QUICK_END_S : DATABASE_END_S;
    await Promise.all(clients.splice(0).map((sql) => sql.end({ timeout })));
  };
  const close = async () => {
    await disconnect();
    await server?.close();
  };
  try {
    const first = open(1, 'first');
    await checkConnection(first, connection, options.clock);
    await first.end({ timeout: DATABASE_END_S });
    return {
      connection,
      connect: (max, name = options.role, silenceMsMax) => open(max, name, silenceMsMax),
      unlock: async () => {},
      disconnect,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens and migrates the database, and starts its housekeeping. Throws a StorageError that says what is wrong and what
 * to do.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { log, clock, onLockLost } = options;
  const reached = await reachDatabase(options);
  const { connection } = reached;
  let lock = null as ServiceLock | null;
  try {
    const housekeeping = reached.connect(1, 'housekeeping');
    if (onLockLost !== undefined) {
      lock = await lockForService(connection, clock, onLockLost, options.node === undefined ? 'alone' : 'cluster');
    }
    await migrateDatabase(connection, options);
    let isClosing = false;
    const parts: HousekeepingParts = {
      sql: housekeeping,
      pace: { clock, isClosing: () => isClosing },
      log,
      retention: options.retention ?? null,
    };
    await makeDays(parts);
    // A start does not wait for it: there may be hours of work.
    const { keepsHouse = () => true } = options;
    const firstPass = keepsHouse() ? removeExpired(parts, true) : Promise.resolve();
    const stopHousekeeping = clock.every(HOUSEKEEPING_EVERY_MS, async () => {
      await firstPass;
      if (!keepsHouse()) return;
      await makeDays(parts);
      await removeExpired(parts, false);
    });
    const stopHouse = (): void => {
      isClosing = true;
      stopHousekeeping();
    };
    return {
      ...reached,
      unlock: async () => lock?.release(),
      disconnect: async () => {
        stopHouse();
        await reached.disconnect();
      },
      close: async () => {
        stopHouse();
        await lock?.release();
        await reached.close();
      },
    };
  } catch (error) {
    await lock?.release();
    await reached.close();
    throw error;
  }
}

async function migrateDatabase(connection: ConnectionSettings, options: DatabaseOptions): Promise<void> {
  const { role, node, clock, log, mustBeUsed = false, migrations = await readMigrations() } = options;
  // Not as the node, which has not joined yet: the database lets it write nothing (schemas/database/, refuse_replaced_node).
  const { nodeId: _, ...nobody } = connection;
  const sql = connect(nobody, { max: 1, name: 'migration', clock });
  try {
    const commandGuard: MigrationGuard = async (transaction, pending) => {
      await refuseWhileServed(transaction, pending);
      if (mustBeUsed && pending.length === migrations.length) throw neverUsed(connection);
    };
    const guard = role === 'command' ? commandGuard : node?.guard;
    const applied = await (guard === undefined
      ? migrate(sql, migrations)
      : migrateBesideOthers(sql, migrations, guard, clock));
    if (applied > 0) log.info({ applied, database: describeConnection(connection) }, 'migrated the database schema');
    const newest = (await appliedMigrations(sql)).length;
    if (newest > migrations.length) {
      log.info(
        { migration: newest, known: migrations.length },
        'a newer version has migrated the database; this version works with its schema',
      );
    }
  } finally {
    await sql.end({ timeout: DATABASE_END_S });
  }
}

function neverUsed(connection: ConnectionSettings): StorageError {
  return new StorageError(
    `${connection.setting}: no service has used ${describeConnection(connection)} yet: correct the setting, or start the service ` +
      'first. Nothing was changed.',
  );
}

/** Briefly tries again what others do not allow: one that has just begun to start, for example, migrates by itself. */
async function migrateBesideOthers(
  sql: Sql,
  migrations: readonly Migration[],
  guard: MigrationGuard,
  clock: TimerClock,
): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += MIGRATION_REFUSED_MS) {
    try {
      return await migrate(sql, migrations, guard);
    } catch (error) {
      const refused = errorCode(error) === LOCK_NOT_AVAILABLE ? tablesHeld() : error;
      if (!(refused instanceof MigrationRefused) || waitedMs >= SERVICE_LOCK_WAIT_MS) throw refused;
      await clock.sleep(MIGRATION_REFUSED_MS);
    }
  }
}

function tablesHeld(): MigrationRefused {
  return new MigrationRefused(
    'The database cannot be migrated while others run: something holds its tables, perhaps a backup. ' +
      'Start again when it is done. What is not applied is left as it was.',
  );
}
