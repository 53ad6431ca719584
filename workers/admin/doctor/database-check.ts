// Checks the database: version, encoding, schema, free connections, durability settings, replication slots, and how
// long a commit takes. Changes nothing.

import {
  DATABASE_SERVERS_CONNECTIONS_MAX,
  LOG_FOLD_BEHIND_MS,
  SERVICE_DATABASE_CONNECTIONS_MAX,
  SHARD_DATABASE_CONNECTIONS_MAX,
} from '#engine/base/limits.ts';
import { journalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import {
  type AppliedMigration,
  appliedMigrations,
  type Migration,
  readMigrations,
  requireCompatibleSchema,
} from '#engine/storage/migrations.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
const COMMITS = 5;
/** A slower commit does not hold up deliveries yet, but the disk is slow for a database. */
const COMMIT_MS_WISE = 30;

/** `ofSeveral`: DATABASE_URL names several servers, and `sql` is that of the one that takes writes. */
export async function checkDatabase(
  sql: Sql,
  shards: number,
  serviceRuns: boolean,
  ofSeveral = false,
): Promise<readonly Found[]> {
  const [about] = await sql<{ version: string; encoding: string; bytes: bigint }[]>`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      pg_database_size(current_database()) as bytes`;
  const { version, encoding, bytes } = about!;
  const found = [ok(`PostgreSQL ${version}, ${(Number(bytes) / MEBIBYTE).toFixed(0)} MiB`)];
  if (encoding !== 'UTF8') {
    found.push(problem(`its encoding is ${encoding}`, "Create one with encoding 'UTF8' template template0."));
  }
  found.push(schemaFinding(await appliedMigrations(sql), await readMigrations()));
  found.push(await checkConnections(sql, shards, serviceRuns, ofSeveral));
  found.push(...(await checkServerSettings(sql)), ...(await checkSlots(sql)));
  found.push(...(await checkJournal(sql)), await checkCommit(sql));
  return found;
}

/** What the schema of the database is to this version. */
export function schemaFinding(applied: readonly AppliedMigration[], known: readonly Migration[]): Found {
  try {
    requireCompatibleSchema(applied, known);
  } catch (error) {
    return problem((error as Error).message, 'The service cannot start with this database.');
  }
  if (applied.length === known.length) return ok(`its schema is up to date (migration ${known.length})`);
  if (applied.length === 0) return ok(`it is empty: the first start creates the schema (migration ${known.length})`);
  if (applied.length > known.length) {
    return warning(
      `its schema is newer (migration ${applied.length}) than this version (${known.length}), which works with it`,
      'Upgrade this version, too.',
    );
  }
  const since = Math.max(...known.slice(applied.length).map(({ worksSince }) => worksSince));
  const older = `its schema is older (migration ${applied.length}); the next start upgrades it to ${known.length}, which cannot be undone`;
  const backup = 'Take a backup first: npm run admin -- backup FOLDER.';
  return since <= applied.length
    ? warning(`${older}; versions since migration ${since} work with it`, `${backup} Nodes can be upgraded one by one.`)
    : warning(older, `${backup} In a cluster, stop all nodes before the first one starts with this version.`);
}

async function checkConnections(sql: Sql, shards: number, serviceRuns: boolean, ofSeveral: boolean): Promise<Found> {
  const [row] = await sql<{ most: number; used: number }[]>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
      (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and application_name not like 'slipstream%') as used`;
  const { most, used } = row!;
  const apart = SERVICE_DATABASE_CONNECTIONS_MAX + (ofSeveral ? DATABASE_SERVERS_CONNECTIONS_MAX : 0);
  const needed = apart + SHARD_DATABASE_CONNECTIONS_MAX * shards;
  const text = `${most - used} connections for the service, which takes up to ${needed} (${apart} + ${SHARD_DATABASE_CONNECTIONS_MAX} for each shard)`;
  if (most - used >= needed) return ok(`${text}${serviceRuns ? '; the service is running' : ''}`);
  return problem(text, 'Raise max_connections, or lower SHARDS.');
}

async function checkServerSettings(sql: Sql): Promise<Found[]> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
      'default_transaction_read_only') order by name`;
  const found = rows.flatMap(({ name, setting }) => {
    if (name === 'default_transaction_read_only') {
      return setting === 'on'
        ? [problem('it is read-only', 'Let this user write: default_transaction_read_only off.')]
        : [];
    }
    if (setting !== 'off') return [];
    return [problem(`${name} is off: a crash of the machine loses committed data`, `Set ${name} to on.`)];
  });
  return found.length > 0 ? found : [ok('commits are durable (fsync, full_page_writes, synchronous_commit)')];
}

/** An inactive slot retains the write-ahead log until the disk is full. */
async function checkSlots(sql: Sql): Promise<Found[]> {
  const rows = await sql<{ name: string }[]>`select slot_name as name from pg_replication_slots where not active`;
  return rows.map(({ name }) =>
    warning(
      `replication slot ${name} is inactive and retains the write-ahead log until the disk is full`,
      'Drop it: pg_drop_replication_slot.',
    ),
  );
}

/** What waits while no service runs is folded by the next start. */
async function checkJournal(sql: Sql): Promise<Found[]> {
  const [table] = await sql<{ present: boolean }[]>`select to_regclass('log_journal') is not null as present`;
  if (!table!.present) return [];
  const { rows, attempts, ageMs } = await journalBacklog(sql);
  const text = `the journal of the delivery log holds ${attempts} attempts of ${rows} commits`;
  if (ageMs < LOG_FOLD_BEHIND_MS) return [ok(text)];
  return [
    warning(
      `${text}, the oldest ${Math.round(ageMs / 1_000)} s old: folding is behind`,
      'If the service is running, see its log. A service that starts folds it within minutes.',
    ),
  ];
}

/** The median of a few commits, each of which writes one small message to the write-ahead log and nothing else. */
async function checkCommit(sql: Sql): Promise<Found> {
  const tookMs: number[] = [];
  try {
    for (let i = 0; i < COMMITS; i++) {
      const startMs = performance.now();
      await sql`select pg_logical_emit_message(true, 'slipstream', 'doctor')`;
      tookMs.push(performance.now() - startMs);
    }
  } catch (error) {
    return unknown(`cannot measure how long a commit takes (${errorText(error)})`);
  }
  const middle = tookMs.sort((a, b) => a - b)[COMMITS >> 1]!;
  const text = `a commit takes ${middle.toFixed(1)} ms`;
  if (middle <= COMMIT_MS_WISE) return ok(text);
  return warning(`${text}: records are committed late, and the API is slow`, 'Use a faster disk or a nearer server.');
}
