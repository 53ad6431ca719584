// The settings of the built-in PostgreSQL and their reasons. They are passed on its command line, so they always come
// from this version of the service and not from the one that made the cluster.

import { DATABASE_CONNECTIONS_MAX } from '#engine/base/limits.ts';

/** `none` is for tests only: a crash of the machine may then lose the whole database. */
export type Durability = 'full' | 'none';

/** Part of the socket's file name only: the server has no port. */
export const SERVER_PORT = 5432;

export function serverSettings(socket: string, durability: Durability): string[] {
  const values: Record<string, string | number> = {
    // No TCP port, so that no customer's URL can point to the database.
    listen_addresses: '',
    port: SERVER_PORT,
    unix_socket_directories: socket,
    unix_socket_permissions: '0700',
    max_connections: DATABASE_CONNECTIONS_MAX,
    // The frequently used tables are small (usage, checkpoints, webhooks). The delivery log is written once and read at
    // its end.
    shared_buffers: '128MB',
    // Group commits wait for the disk, because customers rely on the log and the checkpoints (I1, I10).
    synchronous_commit: 'on',
    fsync: durability === 'full' ? 'on' : 'off',
    full_page_writes: durability === 'full' ? 'on' : 'off',
    // Full pages after a database checkpoint are a large part of the write-ahead log, and they compress well.
    wal_compression: 'pglz',
    max_wal_size: '1GB',
    checkpoint_timeout: '15min',
    // All statements are small and use indexes: compiling them, or splitting them among workers, costs more than it
    // saves. Containers also often have too little shared memory for parallel workers.
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    // Checkpoint and usage rows change many times a second. Frequent vacuuming keeps these tables small.
    autovacuum_naptime: '15s',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
