// `backup`: writes all data of the service, as of one moment, into a new folder. The service may be running or not.
//
// All rows are read in one transaction, which sees the database as of its start. Files are copied after that start, so
// they hold at least what the rows refer to. The folder gets its final name when it is complete.

import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { RECORDING_TABLES, recordingRows } from '#engine/intake/recording/postgres-recording-rows.ts';
import { reachDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, readMigrations, requireCompatibleSchema } from '#engine/storage/migrations.ts';
import { LOG_PAGES, OLD_ATTEMPTS, presentDays } from '#engine/storage/partitions.ts';
import type { TransactionSql } from '#engine/storage/postgres-client.ts';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';
import { artifactName, parseOrigin } from '#engine/timeline/artifact-name.ts';
import type { BackupFile, BackupManifest, BackupTable } from '#schemas/backup/manifest.ts';
import { type Config, readConfig } from '#workers/config.ts';
import { makeFolder } from '#workers/data-dir.ts';
import { PRIVATE_FOLDER, writeManifest } from './backup/backup-folder.ts';
import { copyArtifact, copyDataFile, copyRecording, listDataFiles } from './backup/data-files.ts';
import { progressOf } from './backup/progress.ts';
import { copyOut, listTables, readSequences } from './backup/table-copy.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { diskFailure } from './disk-failure.ts';
import { interrupted, interruptibly } from './interruption.ts';
import { commandLog, requireDatabase } from './service-database.ts';

const HELP = `Writes all data of the service into a new folder, as it is at this moment: accounts, endpoints, usage, the delivery
log, runs with what they play and their checkpoints, and recordings. The service may keep running: a backup does not block it.

Usage: npm run admin -- backup FOLDER

  FOLDER         The folder to write. It must be empty or not exist yet

The backup does not hold the key that opens the secrets (SECRET_KEY, or DATA_DIR/secret.key). Keep a copy of the key in
another place: without it the service cannot sign deliveries. Anyone who has both can sign for every account. Only this user
can read the files. FOLDER appears when the backup is complete; one that fails or is interrupted leaves nothing.

Prints {"folder", "takenAt", "migration", "tables", "rows", "files", "bytes"}.

Example:
  npm run admin -- backup /var/backups/slipstream-2026-05-03`;

export const backupCommand: Command = {
  words: 'backup',
  summary: 'Write all data of the service into a folder',
  help: HELP,

  async run(args, terminal) {
    const { positionals } = readArguments(args, {}, ['FOLDER']);
    if (positionals[0] === '') throw new UsageError('FOLDER is empty');
    const config = readConfig(terminal.env);
    await requireDatabase(config);
    const target = resolve(positionals[0]!);
    await refuseUsed(target);
    const unfinished = join(dirname(target), `.${basename(target)}.${process.pid}.unfinished`);
    const manifest = await interruptibly(async (signal) => {
      try {
        await makeFolder(dirname(unfinished));
        await mkdir(unfinished, { mode: PRIVATE_FOLDER });
        await mkdir(join(unfinished, 'tables'), { mode: PRIVATE_FOLDER });
        const taken = await takeBackup(config, unfinished, terminal, signal);
        await syncFolders(unfinished);
        signal.throwIfAborted();
        await rename(unfinished, target);
        return taken;
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        signal.throwIfAborted();
        throw diskFailure(error, target);
      }
    });
    terminal.print(JSON.stringify(summary(target, manifest)));
    terminal.say(
      `The backup does not hold the key. Keep a copy of ${config.secretKey === null ? join(config.dataDir, 'secret.key') : 'SECRET_KEY'} in another place: without it the secrets in the backup cannot be opened.`,
    );
  },
};

function summary(folder: string, { takenAt, migrations, tables, files }: BackupManifest): Record<string, unknown> {
  const bytes = [...tables, ...files].reduce((sum, part) => sum + part.bytes, 0);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return { folder, takenAt, migration: migrations.length, tables: tables.length, rows, files: files.length, bytes };
}

async function refuseUsed(target: string): Promise<void> {
  const present = await lstat(target).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw diskFailure(error, target);
  });
  if (present === null) return;
  if (!present.isDirectory()) throw new StorageError(`${target} exists and is not a folder. Choose another place.`);
  if ((await readdir(target)).length > 0) throw new StorageError(`${target} is not empty. Choose another place.`);
}

async function takeBackup(
  config: Config,
  folder: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<BackupManifest> {
  const { databaseUrl, dataDir } = config;
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
    const before = await listDataFiles(dataDir);
    const taking = sql.begin('isolation level repeatable read read only', (transaction) =>
      copyAll(transaction, { dataDir, folder, before, report: progressOf(terminal), signal }),
    );
    // After an interruption no code reads the rows any more, so the transaction would never end by itself.
    return await Promise.race([taking, interrupted(signal)]);
  } finally {
    await sql.end({ timeout: 0 });
    await database.close();
  }
}

interface BackupParts {
  readonly dataDir: string;
  readonly folder: string;
  /** The files of DATA_DIR just before the transaction began. */
  readonly before: Awaited<ReturnType<typeof listDataFiles>>;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

async function copyAll(transaction: TransactionSql, parts: BackupParts): Promise<BackupManifest> {
  const { dataDir, folder, report, signal } = parts;
  // The first statement of the transaction fixes the moment of the backup.
  const [moment] = await transaction<{ takenAt: Date }[]>`select clock_timestamp() as "takenAt"`;
  const migrations = await appliedMigrations(transaction);
  if (migrations.length === 0)
    throw new StorageError('There is nothing to back up: no service has used this database yet.');
  requireCompatibleSchema(migrations, await readMigrations());
  const tables: BackupTable[] = [];
  const present = await listTables(transaction);
  for (const table of present) {
    if (RECORDING_TABLES.includes(table.name)) continue;
    const onRows = (rows: number) => report(`table ${table.name}: ${rows.toLocaleString('en')} rows`);
    tables.push(await copyOut(transaction, table, folder, signal, onRows));
  }
  const sequences = await readSequences(transaction, tables);
  const logDays = await presentDays(transaction, OLD_ATTEMPTS);
  const pageDays = await presentDays(transaction, LOG_PAGES);
  // Live recordings that started between the first listing and the moment of the backup.
  const since = [...(await listDataFiles(dataDir))].filter(([path]) => path.startsWith('live/'));
  const files: BackupFile[] = [];
  // A database of an older version has no such table.
  const shared = present.some(({ name }) => name === RECORDING_TABLES[0]) ? await recordingRows(transaction) : [];
  for (const row of shared) {
    report(row.sessionId);
    files.push(await copyRecording(transaction, row, folder, signal));
  }
  // The files of these on this machine are copies, perhaps of earlier ones.
  const copied = new Set(files.map(({ path }) => path));
  for (const [path, identity] of new Map([...parts.before, ...since])) {
    if (copied.has(path)) continue;
    report(path);
    const file = await copyDataFile(dataDir, path, identity, folder, signal);
    if (file !== null) files.push(file);
  }
  for (const { sessionId, origin } of await unfinishedTimelines(transaction)) {
    const parsed = parseOrigin(origin);
    const file = parsed && (await copyArtifact(dataDir, artifactName(sessionId, parsed), folder, signal));
    if (file !== null) files.push(file);
  }
  const manifest: BackupManifest = {
    format: 'slipstream-backup-1',
    takenAt: moment!.takenAt.toISOString(),
    migrations: migrations.map(({ number, name }) => ({ number, name })),
    tables,
    sequences,
    logDays,
    pageDays,
    files,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

/** What unfinished replays play. Read from the row as a whole: an older service may not have migrated the table yet. */
async function unfinishedTimelines(sql: TransactionSql): Promise<{ sessionId: string; origin: string }[]> {
  return sql<{ sessionId: string; origin: string }[]>`
    select * from (
      select distinct session_id as "sessionId", to_jsonb(run) ->> 'timeline_origin' as origin from run
      where mode = 'replay' and state in ('running', 'stopping')
    ) as playing where origin is not null order by 1, 2`;
}

/** Makes the names of the files durable by syncing their folders. The files themselves are synced already. */
async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of [...folders, root, dirname(root)]) {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  }
}
