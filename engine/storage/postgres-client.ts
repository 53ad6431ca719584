// The PostgreSQL client: the driver with the settings that all parts of the service share. A client connects on first
// use and reconnects after the server was unreachable.

import type postgresTypes from 'postgres';
import { Backoff } from '#engine/base/backoff.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  DATABASE_CONNECT_S,
  DATABASE_CONNECTION_S_MAX,
  DATABASE_RECONNECT_MS,
  DATABASE_RECONNECT_MS_MAX,
  DATABASE_ROLE_MS,
  DATABASE_SERVER_CONNECT_S,
} from '#engine/base/limits.ts';
import { socketMaker } from './client-socket.ts';
import { connectFailure, failureText } from './connect-failure.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { correctedDriver } from './postgres-driver.ts';
import { findPrimary, type ServerRole } from './primary-finder.ts';
import { type DatabaseServer, serverText } from './server-group.ts';
import { StorageError } from './storage-error.ts';

/**
 * `bigint` columns and `count(*)` are read as BigInt, because numbers of the delivery log may exceed what a double can
 * hold.
 */
export type Sql = postgresTypes.Sql<{ bigint: bigint }>;
export type TransactionSql = postgresTypes.TransactionSql<{ bigint: bigint }>;

export interface ClientOptions {
  /** The most connections. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly clock: TimerClock;
  /** Whether connections are kept for as long as the server allows, and not renewed at intervals. */
  readonly kept?: true;
  /**
   * How long the server may be silent while it owes a response. Then the statement fails and its connection is closed.
   * No statement of this client may need longer. Default: as long as TCP allows.
   */
  readonly silenceMsMax?: number;
  /** The longest pause between tries to connect. Default: DATABASE_RECONNECT_MS_MAX. */
  readonly reconnectMsMax?: number;
}

export const APPLICATION_NAME = 'slipstream';
/** Of a node's id. PostgreSQL keeps 63 bytes of an application's name. */
const NODE_TAG_CHARS = 13;
/** PostgreSQL 14 was the oldest version supported by the PostgreSQL project when this was written. */
const SERVER_VERSION_MIN = 140_000;

const TLS = { off: false, prefer: 'prefer', require: 'require', 'verify-full': 'verify-full' } as const;

/** Returns a client of this database. End it with `end({ timeout })`. */
export function connect(connection: ConnectionSettings, options: ClientOptions): Sql {
  const { group } = connection;
  const { clock } = options;
  const find = group && (() => findWriting(connection, DATABASE_ROLE_MS, clock));
  return open(connection, options, { connect_timeout: group ? DATABASE_SERVER_CONNECT_S : DATABASE_CONNECT_S }, find);
}

/**
 * Finds the server of the settings' group that takes writes. Returns its index, and tells all threads. Throws NoPrimary.
 */
export function findWriting(connection: ConnectionSettings, waitMs: number, clock: TimerClock): Promise<number> {
  const { servers } = connection.group!;
  const ask = (index: number, limitMs: number) => roleOf(connection, servers[index]!, limitMs, clock);
  return findPrimary(connection.group!, ask, waitMs, clock);
}

/** Asks one server of a group, over a connection of its own, whether it takes writes. Does not throw. */
export async function roleOf(
  { group: _, ...connection }: ConnectionSettings,
  server: DatabaseServer,
  waitMs: number,
  clock: TimerClock,
): Promise<ServerRole> {
  const single = { ...connection, ...server };
  const once = { connect_timeout: waitMs / 1_000, fetch_types: false };
  const sql = open(single, { max: 1, name: 'who takes writes', clock }, once);
  try {
    const [row] = await inTime(
      sql<{ standby: boolean; readOnly: boolean; timeline: number | null }[]>`
        select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as "readOnly",
          case when not pg_is_in_recovery()
            then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline`,
      waitMs,
      clock,
    );
    const { standby, readOnly, timeline } = row!;
    if (standby || timeline === null) return { kind: 'other', reason: `${serverText(server)} is a standby` };
    if (readOnly) return { kind: 'other', reason: `${serverText(server)} is read-only` };
    return { kind: 'primary', timeline };
  } catch (error) {
    return { kind: 'failed', reason: connectFailure(error, single).problem };
  } finally {
    void sql.end({ timeout: 0 });
  }
}

type Settings = postgresTypes.Options<{ bigint: postgresTypes.PostgresType<bigint> }>;

/** Where the driver believes to connect to. */
interface Names {
  readonly host: string | string[];
  readonly port: number | number[];
}

/** Of several servers the maker of the sockets chooses: the driver knows them as one, whose name it does not split. */
function namesOf({ host, port, group }: ConnectionSettings): Names {
  if (group === undefined) return { host, port };
  const last = group.servers.at(-1)!;
  const others = group.servers.slice(0, -1).map((server) => `${serverText(server)},`);
  return { host: [`${others.join('')}${last.host}`], port: [last.port] };
}

/** `find`: for settings with a group. */
function open(
  connection: ConnectionSettings,
  options: ClientOptions,
  how: Pick<Settings, 'connect_timeout' | 'fetch_types'>,
  find?: () => Promise<number>,
): Sql {
  const postgres = correctedDriver();
  const reconnects = new Backoff(DATABASE_RECONNECT_MS, options.reconnectMsMax ?? DATABASE_RECONNECT_MS_MAX);
  const settings: Omit<Settings, 'host' | 'port'> & Names & { socket: unknown } = {
    ...how,
    ...namesOf(connection),
    user: connection.user,
    // Without a function the driver would take a missing password from PGPASSWORD, which may belong to another server.
    password: () => connection.password ?? '',
    database: connection.database,
    ssl: TLS[connection.tls],
    max: options.max,
    max_lifetime: options.kept ? null : DATABASE_CONNECTION_S_MAX,
    // A restarted server is back soon, and prompt deliveries are worth a little CPU.
    backoff: (retries: number) => reconnects.pauseMs(retries) / 1_000,
    types: { bigint: postgres.BigInt },
    connection: {
      application_name: `${APPLICATION_NAME} ${options.name}${connection.nodeId === undefined ? '' : nodeTag(connection.nodeId)}`,
      TimeZone: 'UTC',
    },
    // Notices only say that something already exists, which the statements expect.
    onnotice: () => {},
    socket: socketMaker(connection, options.max, options.silenceMsMax ?? null, options.clock, find),
  };
  return postgres(settings as Settings);
}

/** Ends the name of each connection of a cluster's node, so that a node that takes over can end them. */
export function nodeTag(nodeId: string): string {
  return `@${nodeId.slice(0, NODE_TAG_CHARS)}`;
}

/** Connects once. Throws a StorageError with the next step when the database cannot be used. */
export async function checkConnection(sql: Sql, connection: ConnectionSettings, clock: TimerClock): Promise<void> {
  let version: number;
  try {
    const statement = sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`;
    const [row] = await inTime(statement, 2 * DATABASE_CONNECT_S * 1_000, clock);
    version = row!.version;
  } catch (error) {
    throw new StorageError(`${connection.setting}: ${failureText(connectFailure(error, connection))}`, {
      cause: error,
    });
  }
  if (version < SERVER_VERSION_MIN) {
    const found = `${Math.trunc(version / 10_000)}.${version % 10_000}`;
    throw new StorageError(
      `${connection.setting}: the server is PostgreSQL ${found}; ${SERVER_VERSION_MIN / 10_000} or newer is needed.`,
    );
  }
}

/** The number of connections that this service, with its threads and commands, has to its database. */
export async function serviceConnections(sql: Sql): Promise<number> {
  const [row] = await sql<{ connections: number }[]>`
    select count(*)::int as connections from pg_stat_activity
    where datname = current_database() and application_name like ${`${APPLICATION_NAME} %`}`;
  return row!.connections;
}

/** Limits the wait. The driver's own limit does not cover a server that accepts TLS and then closes the connection. */
export async function inTime<Result>(
  statement: PromiseLike<Result>,
  limitMs: number,
  clock: TimerClock,
): Promise<Result> {
  const { promise: expiry, reject } = Promise.withResolvers<never>();
  const cancel = clock.schedule(limitMs, () => {
    reject(Object.assign(new Error('no answer in time'), { code: 'CONNECT_TIMEOUT' }));
  });
  return Promise.race([statement, expiry]).finally(cancel);
}
