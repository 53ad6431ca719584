// How to reach the database. Plain data, so it can be sent to a worker thread, which then opens a client of its own.

import { DATABASE_SERVERS_MAX } from '#engine/base/limits.ts';
import { type DatabaseServer, type ServerGroup, serverGroup, serverText } from './server-group.ts';
import { StorageError } from './storage-error.ts';

export interface ConnectionSettings {
  /** The setting that the operator would change to use another database. Error messages begin with it. */
  readonly setting: 'DATABASE_URL' | 'DATA_DIR';
  /** A host name or address, or the absolute path of the folder that holds a Unix socket. Of several, the first. */
  readonly host: string;
  readonly port: number;
  /** Several servers, of which the one that takes writes is used. Undefined: there is one server, and no more is asked. */
  readonly group?: ServerGroup;
  readonly user: string;
  readonly password: string | null;
  readonly database: string;
  /** The node of a cluster that connects; undefined: a service alone, or a command. */
  readonly nodeId?: string;
  readonly tls: 'off' | 'prefer' | 'require' | 'verify-full';
}

const TLS_MODES: Readonly<Record<string, ConnectionSettings['tls']>> = {
  disable: 'off',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-full': 'verify-full',
};

/** On the way to any other host somebody could read the database, or pretend to be it. */
const ON_THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** For the service both mean the same: a primary that allows no writes is of no use. */
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);
const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'host', 'target_session_attrs']);

const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** Scheme and login, the servers joined by commas, and the rest. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is;

/** Reads DATABASE_URL. Throws a StorageError that says what is wrong and never repeats the password. */
export function parseDatabaseUrl(text: string): ConnectionSettings {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => urlOf(hosts === '' ? text : `${before}${host}${after}`));
  const url = urls[0]!;
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw new StorageError(`DATABASE_URL: begins with ${url.protocol}// instead of postgres://; the form is ${FORM}`);
  }
  const query = new Map(url.searchParams);
  const mode = query.get('sslmode') ?? null;
  const given = mode !== null && Object.hasOwn(TLS_MODES, mode) ? TLS_MODES[mode] : undefined;
  if (mode !== null && given === undefined) {
    throw new StorageError(`DATABASE_URL: sslmode must be one of ${Object.keys(TLS_MODES).join(', ')}`);
  }
  const wanted = query.get('target_session_attrs');
  if (wanted !== undefined && !WRITABLE.has(wanted)) {
    throw new StorageError(
      `DATABASE_URL: target_session_attrs must be one of ${[...WRITABLE].join(', ')}: the service writes`,
    );
  }
  const unknown = [...query.keys()].filter((key) => !PARAMETERS.has(key));
  if (unknown.length > 0) {
    throw new StorageError(
      `DATABASE_URL: the parameter ${unknown.join(', ')} is not supported; sslmode, host (a socket folder) and ` +
        'target_session_attrs are. For the certificates of a private authority, set NODE_EXTRA_CA_CERTS.',
    );
  }
  const servers = urls.map((one) => serverOf(one, query.get('host')));
  checkServers(servers, query.has('host'));
  const user = decoded(url.username);
  if (user === '') throw new StorageError(`DATABASE_URL: names no user; the form is ${FORM}`);
  const [{ host, port }] = servers as [DatabaseServer];
  const isNear = servers.every((server) => ON_THIS_MACHINE.has(server.host));
  return {
    setting: 'DATABASE_URL',
    host,
    port,
    ...((servers.length > 1 || wanted !== undefined) && { group: serverGroup(servers) }),
    user,
    password: url.password === '' ? null : decoded(url.password),
    database: decoded(url.pathname.slice(1)) || user,
    tls: host.startsWith('/') ? 'off' : (given ?? (isNear ? 'prefer' : 'verify-full')),
  };
}

function urlOf(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new StorageError(`DATABASE_URL: not a URL of the form ${FORM}`);
  }
}

function serverOf(url: URL, socketFolder: string | undefined): DatabaseServer {
  const host = socketFolder ?? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (host === '') throw new StorageError(`DATABASE_URL: names no host; the form is ${FORM}`);
  return { host, port: url.port === '' ? 5432 : Number(url.port) };
}

function checkServers(servers: readonly DatabaseServer[], namesFolder: boolean): void {
  if (servers.length === 1) return;
  if (namesFolder || servers.some(({ host }) => host.startsWith('/'))) {
    throw new StorageError(
      'DATABASE_URL: host names one socket folder; several servers are named by HOST:PORT,HOST:PORT',
    );
  }
  if (servers.length > DATABASE_SERVERS_MAX) {
    throw new StorageError(`DATABASE_URL: names ${servers.length} servers; ${DATABASE_SERVERS_MAX} are the most`);
  }
  const names = servers.map(serverText);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new StorageError(`DATABASE_URL: names ${twice} twice`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StorageError('DATABASE_URL: a % in the user, password or database must be written as %25');
  }
}

/** Where the database is, for operators: `db1:5432`, of several `db1:5432, db2:5432`, or a socket folder. */
export function placeText({ host, port, group }: ConnectionSettings): string {
  if (group !== undefined) return group.servers.map(serverText).join(', ');
  return host.startsWith('/') ? host : `${host}:${port}`;
}

/** A description of the database for operators, without the password. */
export function describeConnection(connection: ConnectionSettings): string {
  return `database ${connection.database} at ${placeText(connection)}`;
}
