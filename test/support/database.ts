// A real PostgreSQL for one test file, in a folder for temporary files, gone when the file's tests have ended. It is not
// synced to disk, which makes it start in about a second.
//
//   const { sql } = await withDatabase({ after });     // `after` of node:test; or withDatabase(t) in one test

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, type DatabaseOptions, openDatabase } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

export interface TestDatabase {
  readonly database: Database;
  /** A client of ten connections, closed with the database. */
  readonly sql: Sql;
  readonly dataDir: string;
}

interface Scope {
  after(end: () => unknown): void;
}

/** Drops what it is told. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

export async function withDatabase(scope: Scope, options: Partial<DatabaseOptions> = {}): Promise<TestDatabase> {
  const dataDir = temporaryDataDir('database');
  const database = await openTestDatabase(dataDir, options);
  scope.after(() => database.close());
  return { database, sql: database.connect(10), dataDir };
}

/** The database of a given folder, for tests that open one folder more than once. The caller closes it. */
export function openTestDatabase(dataDir: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  return openDatabase({
    databaseUrl: null,
    dataDir,
    role: 'service',
    log: silentLog,
    durability: 'none',
    clock: systemClock,
    randomBytes: systemRandomBytes,
    ...options,
  });
}

/**
 * A folder that is removed when the test process ends, also when it is interrupted: hooks run in the order in which they
 * were made, so a hook made here would run before the one that closes the database. When the tests run as root,
 * PostgreSQL runs as another user, who may therefore pass through the folder.
 *
 * It is as the first start of a `service` leaves it, or the first opening of its `database`, where test/suite.ts has prepared
 * such a folder; else, and unless one is named, it is new.
 */
export function temporaryDataDir(like?: 'database' | 'service'): string {
  const path = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  const { TEST_TEMPLATES } = process.env;
  // The owners are part of it, which the platform's own copying leaves behind.
  if (like !== undefined && TEST_TEMPLATES !== undefined)
    execFileSync('cp', ['-a', join(TEST_TEMPLATES, like, '.'), path]);
  chmodSync(path, 0o711);
  if (folders.length === 0) {
    const interrupted = () => process.exit(1);
    process.once('SIGTERM', interrupted).once('SIGINT', interrupted).once('exit', removeFolders);
  }
  folders.push(path);
  return path;
}

const folders: string[] = [];

function removeFolders(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
