// Migrates the database to the schema that this code expects: applies the numbered files of schemas/database, forward
// only, each in one transaction. If several processes start at once, one applies them and the others wait.
//
// Each file declares in its first line which code still works with the schema that it leaves behind, by the newest migration
// that this code has:
//
//   -- Works with code since migration 0029.
//
// A file that names itself contracts: it needs the code that comes with it. So does one that declares nothing. Code whose
// newest migration is older than that of the database starts only if each migration that it lacks works with it.

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Sql, TransactionSql } from './postgres-client.ts';
import { StorageError } from './storage-error.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The oldest code that works with the schema after it, by that code's newest migration. */
  readonly worksSince: number;
  readonly statements: string;
}

/** The number of an advisory lock. Arbitrary, but unique in the database. */
const LOCK = 7_153_001n;
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
const DECLARATION = /^-- Works with code since migration (\d{4})\.\n/;
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
      const number = index + 1;
      const statements = await readFile(new URL(file, folder), 'utf8');
      const worksSince = Number(DECLARATION.exec(statements)?.[1] ?? number);
      if (worksSince < 1 || worksSince > number) {
        throw new Error(`${fileURLToPath(folder)}${file}: it declares a migration that does not come before it`);
      }
      return { number, name, worksSince, statements };
    }),
  );
}

/** A migration that a database records as applied. */
export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'worksSince'>;

/** Returns the applied migrations in order; none for a database that the service has never used. */
export async function appliedMigrations(sql: Sql | TransactionSql): Promise<AppliedMigration[]> {
  const [found] = await sql<{ present: boolean }[]>`select to_regclass('migration') is not null as present`;
  if (!found!.present) return [];
  // The row as a whole: an older database has no such column.
  return [
    ...(await sql<AppliedMigration[]>`
      select number, name, coalesce((to_jsonb(migration) ->> 'works_since')::int, number) as "worksSince"
      from migration order by number`),
  ];
}

/** Throws a StorageError when code with so many migrations does not work with one of those that the database has. */
export function requireWorkingCode(applied: readonly AppliedMigration[], known: number): void {
  const needing = applied.find(({ number, worksSince }) => number > known && worksSince > known);
  if (needing === undefined) return;
  throw new StorageError(
    `The database is at migration ${applied.at(-1)!.number}, but this version of the service knows only ${known} and does ` +
      `not work with migration ${needing.number} ("${needing.name}"). ` +
      'A newer version has used it: start that version, or restore the backup from before.',
  );
}

/** Throws a StorageError that names the versions when this version of the service cannot use that database. */
export function requireCompatibleSchema(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  requireWorkingCode(applied, migrations.length);
  const other = applied.find(
    ({ number, name }, index) => number !== index + 1 || (migrations[index]?.name ?? name) !== name,
  );
  if (other === undefined) return;
  throw new StorageError(
    `Migration ${other.number} of the database is "${other.name}", but this version of the service has ` +
      `"${migrations[other.number - 1]?.name ?? 'none'}". Another program has used the database: use another database.`,
  );
}

/** Somebody uses the database as it is. It may be tried again: they may be about to end, or to migrate. */
export class MigrationRefused extends StorageError {}

/**
 * Throws a MigrationRefused when these migrations may not be applied now. Asked in the transaction that applies the first of
 * them: what it has found out must hold until that ends.
 */
export type MigrationGuard = (transaction: TransactionSql, pending: readonly Migration[]) => Promise<void>;

/**
 * Applies the missing migrations and returns their number. Throws a StorageError for a database that this code does not work
 * with or that belongs to another program, and what `guard` throws; then leaves it untouched.
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[],
  guard: MigrationGuard = async () => {},
): Promise<number> {
  // Checked first, so that a refused database does not even get the migration table.
  requireCompatibleSchema(await appliedMigrations(sql), migrations);
  let applied = 0;
  while (await applyNext(sql, migrations, guard)) applied++;
  return applied;
}

/**
 * Keeps the schema as it is until the transaction ends, and throws a StorageError when code with so many migrations does not
 * work with it.
 */
export async function holdSchema(transaction: TransactionSql, known: number): Promise<void> {
  await transaction`select pg_advisory_xact_lock_shared(${LOCK}::bigint)`;
  requireWorkingCode(await appliedMigrations(transaction), known);
}

async function applyNext(sql: Sql, migrations: readonly Migration[], guard: MigrationGuard): Promise<boolean> {
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
    const pending = migrations.slice(applied.length);
    const [next] = pending;
    if (next === undefined) return false;
    await guard(transaction, pending);
    // Several statements in one text need the simple protocol.
    await transaction.unsafe(next.statements).simple();
    const { number, name, worksSince } = next;
    await transaction`insert into migration (number, name) values (${number}, ${name})`;
    // Those before the column declare nothing.
    if (worksSince < number) {
      await transaction`update migration set works_since = ${worksSince} where number = ${number}`;
    }
    return true;
  });
}
