// `restore`: a backup into a DATA_DIR, or DATA_DIR and DATABASE_URL, that nothing is in yet. Everything is checked before
// anything is written, and the rows come with one transaction: all of them are there afterwards, or none.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { lockDataDir } from '#engine/storage/data-dir-lock.ts';
import { reachDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, migrate, readMigrations, requireCompatibleSchema } from '#engine/storage/migrations.ts';
import { makePartitions } from '#engine/storage/partitions.ts';
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

const HELP = `Puts a backup into a DATA_DIR in which there is nothing yet, or into an empty database (DATABASE_URL) and such a DATA_DIR.

Usage: npm run admin -- restore FOLDER

  FOLDER         What "backup" has written

Before that, put the key of that time in place: as DATA_DIR/secret.key, for this user alone, or as SECRET_KEY. A backup that is
damaged, of a newer version, or whose secrets the key does not open is refused, and so is a DATA_DIR or database in use.
All of it is there afterwards or nothing.

Replays that were running when the backup was taken go on from there at the next start: what the other service has delivered
since is delivered again. Stop that service before this one starts.

Prints {"takenAt", "tables", "rows", "files"}.

Example:
  DATA_DIR=/var/lib/slipstream-restored npm run admin -- restore /var/backups/slipstream-2026-05-03`;

const STAGING = 'restoring-';

interface Restoring {
  readonly config: Config;
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly terminal: Terminal;
  readonly tell: (line: string) => void;
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
          await restore({ config, folder, manifest, terminal, tell: progressOf(terminal), signal });
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
    requireCompatibleSchema(migrations, known);
  } catch (error) {
    throw new StorageError(`The backup cannot be restored by this version. ${(error as Error).message}`);
  }
}

async function restore(restoring: Restoring): Promise<void> {
  const { config, folder, manifest, terminal, tell, signal } = restoring;
  const { databaseUrl, dataDir } = config;
  for (const name of DATA_FOLDERS) {
    if ((await plainFiles(join(dataDir, name))).length > 0) throw notEmpty(`${join(dataDir, name)} holds files`);
  }
  await refuseWithoutKey(config, manifest);
  for (const table of manifest.tables) {
    tell(`checking table ${table.name}`);
    await verifyMeasured(tableFile(folder, table), table, signal);
  }
  for (const file of manifest.files) {
    tell(`checking ${file.path}`);
    await verifyMeasured(join(folder, file.path), file, signal);
  }
  // What a restore that was killed has left.
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(STAGING)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  const staging = await mkdtemp(join(dataDir, STAGING));
  try {
    await stageFiles(restoring, staging);
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
      // A service of another DATA_DIR may use the same database: it is kept out until we are through, or nothing is filled.
      const lock = await lockForService(database.connection, systemClock, () => void sql.end({ timeout: 0 }));
      try {
        await fill(sql, restoring, staging);
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

async function stageFiles({ folder, manifest, tell, signal }: Restoring, staging: string): Promise<void> {
  for (const { path } of manifest.files) {
    tell(`copying ${path}`);
    await mkdir(dirname(join(staging, path)), { recursive: true });
    await copyMeasured(join(folder, path), join(staging, path), signal);
  }
}

async function fill(sql: Sql, restoring: Restoring, staging: string): Promise<void> {
  const { config, folder, manifest, terminal, tell, signal } = restoring;
  const box = new SecretBox(
    await loadSecretKey(config.dataDir, config.secretKey, systemRandomBytes, commandLog(terminal)),
    systemRandomBytes,
  );
  const known = await readMigrations();
  await refuseUsedDatabase(sql, manifest);
  await migrate(sql, known.slice(0, manifest.migrations.length));
  await makePartitions(sql, manifest.logDays);
  const placed: string[] = [];
  try {
    const loading = sql.begin(async (transaction) => {
      for (const table of manifest.tables) {
        tell(`table ${table.name}: ${table.rows.toLocaleString('en')} rows`);
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

/** Only a database in which nobody has kept anything: tables without rows are what an interrupted restore leaves. */
async function refuseUsedDatabase(sql: Sql, manifest: BackupManifest): Promise<void> {
  const applied = await appliedMigrations(sql);
  if (applied.length > manifest.migrations.length) {
    throw notEmpty(`it is at migration ${applied.length}, the backup at ${manifest.migrations.length}`);
  }
  if (applied.length === 0) return;
  for (const { name } of await listTables(sql)) {
    const rows = await sql`select from ${sql(name)} limit 1`;
    if (rows.length > 0) throw notEmpty(`its table ${name} holds rows`);
  }
}

/** A key that is made at the next start would open nothing of what is restored. */
async function refuseWithoutKey({ secretKey, dataDir }: Config, { tables }: BackupManifest): Promise<void> {
  const accounts = tables.find(({ name }) => name === 'account')?.rows ?? 0;
  if (accounts === 0 || secretKey !== null || existsSync(keyFileOf(dataDir))) return;
  throw new StorageError(
    `There is no key for the secrets of the backup: put the one of that time into ${keyFileOf(dataDir)} (chmod 600), or set SECRET_KEY.`,
  );
}

async function refuseUnopened(transaction: TransactionSql, box: SecretBox): Promise<void> {
  const strange = await secretsUnderOtherKeys(transaction, box);
  if (strange === 0) return;
  throw new StorageError(
    `SECRET_KEY: ${strange} of the secrets in the backup were sealed under another key. Put the key of that time into ` +
      'DATA_DIR/secret.key, or set SECRET_KEY to it. Nothing was restored.',
  );
}

function notEmpty(why: string): StorageError {
  return new StorageError(`A backup is put only where nothing is yet: ${why}. Choose another DATA_DIR or database.`);
}
