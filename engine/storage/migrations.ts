// Migrates the database to the schema that this code expects: applies the numbered files of schemas/database, forward
// only, each in one transaction. If several processes start at once, one applies them and the others wait.

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Sql, TransactionSql } from './postgres-client.ts';
import { StorageError } from './storage-error.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: string;
}

/** The number of an advisory lock. Arbitrary, but unique in the database. */
const LOCK = 7_153_001n;
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
const FOLDER = new URL('../../schemas/database/', import.meta.url);

/** Reads the migrations of this version, in order, numbered from 1 without gaps. */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const [, digits, name] = FILE_NAME.exec(file) ?? [];
      if (name === undefined || Number(digits) !== index + 1) {
        throw new Error(`${fileURLToPath(folder)}${file}: migrations are numbered from 0001 without gaps`);
      }
      return { number: index + 1, name, statements: await readFile(new URL(file, folder), 'utf8') };
    }),
  );
}

/** A migration that a database records as applied. */
export type AppliedMigration = Pick<Migration, 'number' | 'name'>;

/** Returns the applied migrations in order; none for a database that the service has never used. */
export async function appliedMigrations(sql: Sql | TransactionSql): Promise<AppliedMigration[]> {
  const [found] = await sql<{ present: boolean }[]>`select to_regclass('migration') is not null as present`;
  if (!found!.present) return [];
  return [...(await sql<AppliedMigration[]>`select number, name from migration order by number`)];
}

/** Throws a StorageError that names the versions when this version of the service cannot use that database. */
export function requireCompatibleSchema(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const newest = applied.at(-1)?.number ?? 0;
  if (newest > migrations.length) {
    throw new StorageError(
      `The database is at migration ${newest}, but this version of the service knows only ${migrations.length}. ` +
        'A newer version has used it: start that version, or restore the backup from before.',
    );
  }
  const other = applied.find(({ number, name }, index) => number !== index + 1 || migrations[index]!.name !== name);
  if (other === undefined) return;
  throw new StorageError(
    `Migration ${other.number} of the database is "${other.name}", but this version of the service has ` +
      `"${migrations[other.number - 1]?.name ?? 'none'}". Another program has used the database: use another database.`,
  );
}

/** Whether the transaction may migrate. Its answer holds until the transaction ends. */
export type MayMigrate = (transaction: TransactionSql) => Promise<boolean>;

/**
 * Applies the missing migrations and returns their number. Throws a StorageError for a database that is newer or
 * belongs to another program, and a ServedByOlder when `mayMigrate` says no; then leaves it untouched.
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[],
  mayMigrate: MayMigrate = async () => true,
): Promise<number> {
  // Checked first, so that a refused database does not even get the migration table.
  requireCompatibleSchema(await appliedMigrations(sql), migrations);
  let applied = 0;
  while (await applyNext(sql, migrations, mayMigrate)) applied++;
  return applied;
}

/** A running service uses the database as it is. */
export class ServedByOlder extends StorageError {
  constructor(applied: number, known: number) {
    super(
      `A service is running on the database at migration ${applied}, and this version would migrate it to ${known}. ` +
        'Restart the service with this version first, or use the version that is running. Nothing was changed.',
    );
  }
}

async function applyNext(sql: Sql, migrations: readonly Migration[], mayMigrate: MayMigrate): Promise<boolean> {
  return sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    await transaction`
      create table if not exists migration (
        number integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`;
    const applied = await appliedMigrations(transaction);
    requireCompatibleSchema(applied, migrations);
    const next = migrations[applied.length];
    if (next === undefined) return false;
    if (!(await mayMigrate(transaction))) throw new ServedByOlder(applied.length, migrations.length);
    // Several statements in one text need the simple protocol.
    await transaction.unsafe(next.statements).simple();
    await transaction`insert into migration (number, name) values (${next.number}, ${next.name})`;
    return true;
  });
}
