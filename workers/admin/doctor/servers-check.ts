// Checks the servers of a DATABASE_URL that names several: which of them takes writes, and whether a failover would lose
// what was committed.

import { systemClock } from '#engine/base/clock.ts';
import { DATABASE_ROLE_MS } from '#engine/base/limits.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { roleOf, type Sql } from '#engine/storage/postgres-client.ts';
import { serverText } from '#engine/storage/server-group.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';

/** `sql`: of the server that takes writes. `connection`: names several servers. */
export async function checkServers(sql: Sql, connection: ConnectionSettings): Promise<Found[]> {
  const { servers } = connection.group!;
  const roles = await Promise.all(servers.map((server) => roleOf(connection, server, DATABASE_ROLE_MS, systemClock)));
  const found: Found[] = [];
  const writing: string[] = [];
  for (const [index, role] of roles.entries()) {
    if (role.kind === 'primary') writing.push(serverText(servers[index]!));
    else if (role.kind === 'other') found.push(ok(role.reason));
    else found.push(warning(role.reason, 'After a failover to it, the service could not use it.'));
  }
  if (writing.length === 1) found.unshift(ok(`${writing[0]} takes writes`));
  if (writing.length > 1) {
    const next = 'Stop the one that was replaced, before anything else writes to it.';
    found.unshift(problem(`several servers take writes: ${writing.join(', ')}`, next));
  }
  return [...found, await checkReplication(sql)];
}

/** Whether a failover would lose what was committed. */
export async function checkReplication(sql: Sql): Promise<Found> {
  const [row] = await sql<{ names: string; commit: string; standbys: number; known: number; synchronous: number }[]>`
    select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
      count(pid)::int as standbys, count(sync_state)::int as known,
      (count(*) filter (where sync_state in ('sync', 'quorum')))::int as synchronous
    from pg_stat_replication`;
  const { names, commit, standbys, known, synchronous } = row!;
  if (names === '') {
    return warning(
      `replication is asynchronous (${standbys} standbys): a failover loses what was committed last`,
      'Set synchronous_standby_names.',
    );
  }
  if (commit !== 'on' && commit !== 'remote_apply') {
    return warning(
      `replication is synchronous, but synchronous_commit is ${commit}: a failover may lose what was committed last`,
      'Set synchronous_commit to on.',
    );
  }
  if (synchronous > 0) return ok(`replication is synchronous (${synchronous} of ${standbys} standbys)`);
  if (known < standbys) {
    return unknown(
      `replication is to be synchronous (${names}); this user may not see whether a standby is`,
      'Let it: grant pg_monitor to this user.',
    );
  }
  return problem(
    `replication is to be synchronous (${names}), but no such standby is connected: commits wait for one`,
    'Start a standby, or clear synchronous_standby_names.',
  );
}
