// `restore`: puts a backup into an empty DATA_DIR, or into an empty database (DATABASE_URL) and an empty DATA_DIR. It
// checks everything before it writes anything, and writes all rows in one transaction: afterwards all of them are
// there, or none.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { lockDataDir } from '#engine/storage/data-dir-lock.ts';
import { reachDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, migrate, readMigrations, requireCompatibleSchema } from '#engine/storage/migrations.ts';
import { LOG_PAGES, makePartitions, OLD_ATTEMPTS } from '#engine/storage/partitions.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { secretsUnderOtherKeys } from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { keyFileOf, loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { lockForService } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import type { BackupManifest } from '#schemas/backup/manifest.ts';
import { type Config, readConfig } from '#workers/config.ts';
import { makeDataDir } from '#workers/data-dir.ts';
import { readManifest, tableFile } from './backup/backup-folder.ts';
import { DATA_FOLDERS, plainFiles } from './backup/data-files.ts';
import { copyMeasured, verifyMeasured } from './backup/measured-copy.ts';
import { progressOf } from './backup/progress.ts';
import { copyIn, listTables, setSequences } from './backup/table-copy.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { diskFailure } from './disk-failure.ts';
import { interrupted, interruptibly } from './interruption.ts';
import { commandLog } from './service-database.ts';

const HELP = `Puts a backup into an empty DATA_DIR, or into an empty database (DATABASE_URL) and an empty DATA_DIR.

Usage: npm run admin -- restore FOLDER

  FOLDER         The folder that "backup" has written

First put the key of that time in place: as DATA_DIR/secret.key with mode 600, or as SECRET_KEY. The command refuses a backup
that is damaged, comes from a newer version or holds secrets that the key does not open. It also refuses a DATA_DIR or database
in use. Afterwards everything is restored, or nothing.

At the next start, replays resume from where they were when the backup was taken. Updates that the other service has delivered
since then are delivered again. Stop that service before this one starts.

Prints {"takenAt", "tables", "rows", "files"}.

Example:
  DATA_DIR=/var/lib/slipstream-restored npm run admin -- restore /var/backups/slipstream-2026-05-03`;

const STAGING = 'restoring-';

interface RestoreParts {
  readonly config: Config;
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly terminal: Terminal;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

export const restoreCommand: Command = {
  words: 'restore',
  summary: 'Put a backup into an empty DATA_DIR or database',
  help: HELP,

  async run(args, terminal) {
    const { positionals } = readArguments(args, {}, ['FOLDER']);
    if (positionals[0] === '') throw new UsageError('FOLDER is empty');
    const config = readConfig(terminal.env);
    const folder = resolve(positionals[0]!);
    const manifest = await readManifest(folder);
    refuseForeignBackup(manifest, await readMigrations());
    await makeDataDir(config.dataDir);
    const lock = await lockDataDir(config.dataDir, systemClock, systemRandomBytes);
    try {
      await interruptibly(async (signal) => {
        try {
          await restore({ config, folder, manifest, terminal, report: progressOf(terminal), signal });
        } catch (error) {
          signal.throwIfAborted();
          throw diskFailure(error, folder);
        }
      });
    } finally {
      await lock.release();
    }
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    const { takenAt, tables, files } = manifest;
    terminal.print(JSON.stringify({ takenAt, tables: tables.length, rows, files: files.length }));
  },
};

function refuseForeignBackup({ migrations }: BackupManifest, known: Awaited<ReturnType<typeof readMigrations>>): void {
  try {
    // Rows of a newer schema need that schema, also when this version works with it.
    requireCompatibleSchema(
      migrations.map(({ number, name }) => ({ number, name, worksSince: number })),
      known,
    );
  } catch (error) {
    throw new StorageError(`This version of the service cannot restore the backup. ${(error as Error).message}`);
  }
}

async function restore(parts: RestoreParts): Promise<void> {
  const { config, folder, manifest, terminal, report, signal } = parts;
  const { databaseUrl, dataDir } = config;
  for (const name of DATA_FOLDERS) {
    if ((await plainFiles(join(dataDir, name))).length > 0) throw notEmpty(`${join(dataDir, name)} holds files`);
  }
  await refuseWithoutKey(config, manifest);
  for (const table of manifest.tables) {
    report(`checking table ${table.name}`);
    await verifyMeasured(tableFile(folder, table), table, signal);
  }
  for (const file of manifest.files) {
    report(`checking ${file.path}`);
    await verifyMeasured(join(folder, file.path), file, signal);
  }
  // Leftovers of a restore that was killed.
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(STAGING)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  const staging = await mkdtemp(join(dataDir, STAGING));
  try {
    await stageFiles(parts, staging);
    const database = await reachDatabase({
      databaseUrl,
      dataDir,
      role: 'command',
      log: commandLog(terminal),
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
    const sql = database.connect(1);
    try {
      // A service with another DATA_DIR may use the same database. The lock keeps it out until the restore is done.
      const lock = await lockForService(database.connection, systemClock, () => void sql.end({ timeout: 0 }));
      try {
        await fill(sql, parts, staging);
      } finally {
        await lock.release();
      }
    } finally {
      await sql.end({ timeout: 0 });
      await database.close();
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function stageFiles({ folder, manifest, report, signal }: RestoreParts, staging: string): Promise<void> {
  for (const { path } of manifest.files) {
    report(`copying ${path}`);
    await mkdir(dirname(join(staging, path)), { recursive: true });
    await copyMeasured(join(folder, path), join(staging, path), signal);
  }
}

async function fill(sql: Sql, parts: RestoreParts, staging: string): Promise<void> {
  const { config, folder, manifest, terminal, report, signal } = parts;
  const box = new SecretBox(
    await loadSecretKey(config.dataDir, config.secretKey, systemRandomBytes, commandLog(terminal)),
    systemRandomBytes,
  );
  const known = await readMigrations();
  await refuseUsedDatabase(sql, manifest);
  await migrate(sql, known.slice(0, manifest.migrations.length));
  await makePartitions(sql, OLD_ATTEMPTS, manifest.logDays);
  if (manifest.pageDays !== undefined) await makePartitions(sql, LOG_PAGES, manifest.pageDays);
  const placed: string[] = [];
  try {
    const loading = sql.begin(async (transaction) => {
      for (const table of manifest.tables) {
        report(`table ${table.name}: ${table.rows.toLocaleString('en')} rows`);
        await copyIn(transaction, table, folder, signal);
      }
      await refuseUnopened(transaction, box);
      await setSequences(transaction, manifest.sequences);
      for (const { path } of manifest.files) {
        const to = join(config.dataDir, path);
        await mkdir(dirname(to), { recursive: true });
        placed.push(to);
        await rename(join(staging, path), to);
      }
      signal.throwIfAborted();
    });
    await Promise.race([loading, interrupted(signal)]);
  } catch (error) {
    for (const path of placed) await rm(path, { force: true });
    throw error;
  }
  await migrate(sql, known);
}

/** Throws unless all tables are empty. Empty tables are allowed: an interrupted restore leaves them. */
async function refuseUsedDatabase(sql: Sql, manifest: BackupManifest): Promise<void> {
  const applied = await appliedMigrations(sql);
  if (applied.length > manifest.migrations.length) {
    throw notEmpty(`the database is at migration ${applied.length}, the backup at ${manifest.migrations.length}`);
  }
  if (applied.length === 0) return;
  for (const { name } of await listTables(sql)) {
    const rows = await sql`select from ${sql(name)} limit 1`;
    if (rows.length > 0) throw notEmpty(`table ${name} of the database holds rows`);
  }
}

/**
 * Throws when there is no key. The service would make one at its next start, which opens none of the restored secrets.
 */
async function refuseWithoutKey({ secretKey, dataDir }: Config, { tables }: BackupManifest): Promise<void> {
  const accounts = tables.find(({ name }) => name === 'account')?.rows ?? 0;
  if (accounts === 0 || secretKey !== null || existsSync(keyFileOf(dataDir))) return;
  throw new StorageError(
    `There is no key for the secrets of the backup. Put the key of that time into ${keyFileOf(dataDir)} (chmod 600), or set SECRET_KEY.`,
  );
}

async function refuseUnopened(transaction: TransactionSql, box: SecretBox): Promise<void> {
  const unopened = await secretsUnderOtherKeys(transaction, box);
  if (unopened === 0) return;
  throw new StorageError(
    `SECRET_KEY: ${unopened} of the secrets in the backup were sealed under another key. Put the key of that time into ` +
      'DATA_DIR/secret.key, or set SECRET_KEY to it. Nothing was restored.',
  );
}

function notEmpty(why: string): StorageError {
  return new StorageError(`A restore needs an empty DATA_DIR and database: ${why}. Choose others.`);
}
