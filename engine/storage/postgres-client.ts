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
} from '#engine/base/limits.ts';
import { socketMaker } from './client-socket.ts';
import { type ConnectionSettings, describeConnection } from './connection-settings.ts';
import { correctedDriver } from './postgres-driver.ts';
import { errorCode, errorText, StorageError } from './storage-error.ts';

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
}

export const APPLICATION_NAME = 'slipstream';
/** Of a node's id. PostgreSQL keeps 63 bytes of an application's name. */
const NODE_TAG_CHARS = 13;
/** PostgreSQL 14 was the oldest version supported by the PostgreSQL project when this was written. */
const SERVER_VERSION_MIN = 140_000;

const RECONNECTS = new Backoff(DATABASE_RECONNECT_MS, DATABASE_RECONNECT_MS_MAX);

const TLS = { off: false, prefer: 'prefer', require: 'require', 'verify-full': 'verify-full' } as const;

/** Returns a client of this database. End it with `end({ timeout })`. */
export function connect(connection: ConnectionSettings, options: ClientOptions): Sql {
  const postgres = correctedDriver();
  const settings: postgresTypes.Options<{ bigint: postgresTypes.PostgresType<bigint> }> & { socket: unknown } = {
    host: connection.host,
    port: connection.port,
    user: connection.user,
    // Without a function the driver would take a missing password from PGPASSWORD, which may belong to another server.
    password: () => connection.password ?? '',
    database: connection.database,
    ssl: TLS[connection.tls],
    max: options.max,
    connect_timeout: DATABASE_CONNECT_S,
    max_lifetime: options.kept ? null : DATABASE_CONNECTION_S_MAX,
    // A restarted server is back soon, and prompt deliveries are worth a little CPU.
    backoff: (retries: number) => RECONNECTS.pauseMs(retries) / 1_000,
    types: { bigint: postgres.BigInt },
    connection: {
      application_name: `${APPLICATION_NAME} ${options.name}${connection.nodeId === undefined ? '' : nodeTag(connection.nodeId)}`,
      TimeZone: 'UTC',
    },
    // Notices only say that something already exists, which the statements expect.
    onnotice: () => {},
    socket: socketMaker(connection, options.max, options.silenceMsMax ?? null, options.clock),
  };
  return postgres(settings);
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
    const [row] = await inTime(statement, clock);
    version = row!.version;
  } catch (error) {
    throw explainConnectError(error, connection);
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
async function inTime<Result>(statement: PromiseLike<Result>, clock: TimerClock): Promise<Result> {
  const { promise: expiry, reject } = Promise.withResolvers<never>();
  const cancel = clock.schedule(2 * DATABASE_CONNECT_S * 1_000, () => {
    reject(Object.assign(new Error('no answer in time'), { code: 'CONNECT_TIMEOUT' }));
  });
  return Promise.race([statement, expiry]).finally(cancel);
}

const CERTIFICATE_CODE = /CERT|ISSUER|SIGNATURE|CHAIN|CRL/;
const NO_TLS_CODE = /^(ERR_SSL|EPROTO|ECONNRESET)/;

function explainConnectError(error: unknown, connection: ConnectionSettings): StorageError {
  const { setting, host, port, user, database } = connection;
  const at = host.startsWith('/') ? host : `${host}:${port}`;
  const say = (text: string) => new StorageError(`${setting}: ${text}`, { cause: error });
  const code = errorCode(error) ?? '';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return say(`cannot reach ${at}: the host name ${host} is unknown. Check its spelling and the name server.`);
    case 'ECONNREFUSED':
    case 'ENOENT':
      return say(`cannot reach ${at}: nothing listens there. Check that the server is running, and its address.`);
    case 'EACCES':
      return say(`cannot reach ${at}: this user may not open the socket. Run as the user that runs the service.`);
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return say(`cannot reach ${at}: no answer (${code}). Check the address and the firewall.`);
    case 'CONNECTION_CLOSED':
      return say(`${at} closes the connection at once. Check that PostgreSQL listens there, and sslmode.`);
    case '28P01':
    case '28000':
      return say(`${at} refuses user ${user}. Check user and password, and the server's pg_hba.conf.`);
    case '3D000':
      return say(`${at} has no database ${database}. Create it: create database "${database}" owner "${user}"`);
    case '42501':
      return say(`user ${user} lacks a permission on ${describeConnection(connection)}: ${errorText(error)}`);
    case '53300':
      return say(`${at} has no free connection. Raise its max_connections, or lower SHARDS.`);
    default:
      if (connection.tls === 'verify-full' && CERTIFICATE_CODE.test(code))
        return say(
          `the certificate of ${at} is not valid (${code}). Name its authority in NODE_EXTRA_CA_CERTS; ` +
            'sslmode=require accepts any certificate.',
        );
      if (connection.tls === 'verify-full' && NO_TLS_CODE.test(code))
        return say(`${at} does not speak TLS (${code}). Turn it on there; sslmode=disable does without.`);
      return say(`cannot use ${describeConnection(connection)}: ${errorText(error)}`);
  }
}
