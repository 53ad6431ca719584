// How to reach the database. Plain data, so it can be sent to a worker thread, which then opens a client of its own.

import { StorageError } from './storage-error.ts';

export interface ConnectionSettings {
  /** The setting that the operator would change to use another database. Error messages begin with it. */
  readonly setting: 'DATABASE_URL' | 'DATA_DIR';
  /** A host name or address, or the absolute path of the folder that holds a Unix socket. */
  readonly host: string;
  readonly port: number;
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

const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** Reads DATABASE_URL. Throws a StorageError that says what is wrong and never repeats the password. */
export function parseDatabaseUrl(text: string): ConnectionSettings {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new StorageError(`DATABASE_URL: not a URL of the form ${FORM}`);
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw new StorageError(`DATABASE_URL: begins with ${url.protocol}// instead of postgres://; the form is ${FORM}`);
  }
  const query = new Map(url.searchParams);
  const mode = query.get('sslmode') ?? null;
  const given = mode !== null && Object.hasOwn(TLS_MODES, mode) ? TLS_MODES[mode] : undefined;
  if (mode !== null && given === undefined) {
    throw new StorageError(`DATABASE_URL: sslmode must be one of ${Object.keys(TLS_MODES).join(', ')}`);
  }
  const host = query.get('host') ?? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const unknown = [...query.keys()].filter((key) => key !== 'sslmode' && key !== 'host');
  if (unknown.length > 0) {
    throw new StorageError(
      `DATABASE_URL: the parameter ${unknown.join(', ')} is not supported; sslmode and host (a socket folder) are. ` +
        'For the certificates of a private authority, set NODE_EXTRA_CA_CERTS.',
    );
  }
  if (host === '') throw new StorageError(`DATABASE_URL: names no host; the form is ${FORM}`);
  const user = decoded(url.username);
  if (user === '') throw new StorageError(`DATABASE_URL: names no user; the form is ${FORM}`);
  const port = url.port === '' ? 5432 : Number(url.port);
  return {
    setting: 'DATABASE_URL',
    host,
    port,
    user,
    password: url.password === '' ? null : decoded(url.password),
    database: decoded(url.pathname.slice(1)) || user,
    tls: host.startsWith('/') ? 'off' : (given ?? (ON_THIS_MACHINE.has(host) ? 'prefer' : 'verify-full')),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StorageError('DATABASE_URL: a % in the user, password or database must be written as %25');
  }
}

/** A description of the database for operators, without the password. */
export function describeConnection({ host, port, database }: ConnectionSettings): string {
  return host.startsWith('/') ? `database ${database} at ${host}` : `database ${database} at ${host}:${port}`;
}
