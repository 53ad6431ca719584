// A real PostgreSQL for one test file, in a temporary folder that is removed after the file's tests. It does not sync
// to disk, so it starts in about a second.
//
//   const { sql } = await withDatabase({ after });     // `after` of node:test; or withDatabase(t) in one test

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, type DatabaseOptions, openDatabase } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

export interface TestDatabase {
  readonly database: Database;
  /** A client with ten connections, closed with the database. */
  readonly sql: Sql;
  readonly dataDir: string;
}

interface Scope {
  after(end: () => unknown): void;
}

/** Drops all log lines. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

export async function withDatabase(scope: Scope, options: Partial<DatabaseOptions> = {}): Promise<TestDatabase> {
  // The prepared one has partitions for the day on which it was prepared.
  const dataDir = temporaryDataDir(options.clock === undefined ? 'database' : undefined);
  const database = await openTestDatabase(dataDir, options);
  scope.after(() => database.close());
  return { database, sql: database.connect(10), dataDir };
}

/** Opens the database of a given folder, for tests that open one folder repeatedly. The caller closes it. */
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
 * A folder that is removed when the test process ends or is interrupted. A test hook would not do: hooks run in the
 * order of their creation, so one made here would run before the one that closes the database. When the tests run as
 * root, PostgreSQL runs as another user, so the folder lets others pass through.
 *
 * `like` copies a folder that test/suite.ts has prepared, if it did: as the first start of a `service` leaves it, or
 * the first opening of its `database`. Otherwise the folder is empty.
 */
export function temporaryDataDir(like?: 'database' | 'service'): string {
  const templates = like === undefined ? undefined : process.env.TEST_TEMPLATES;
  // A copy lies beside its template, which the suite keeps in memory if it can.
  const path = mkdtempSync(join(templates === undefined ? tmpdir() : dirname(templates), 'slipstream-test-'));
  // `cp -a` keeps the owners of files, which Node's own copying does not. The dot at the end copies what is in the
  // folder, not the folder; `join` would remove it.
  if (templates !== undefined) execFileSync('cp', ['-a', `${templates}/${like}/.`, path]);
  chmodSync(path, 0o711);
  if (folders.length === 0) {
    const interrupted = () => process.exit(1);
    process.once('SIGTERM', interrupted).once('SIGINT', interrupted).once('exit', removeFolders);
  }
  folders.push(path);
  return path;
}

const folders: string[] = [];

const REMOVAL_TRIES = 20;
const REMOVAL_PAUSE_MS = 100;

function removeFolders(): void {
  for (const path of folders) removeFolder(path);
}

/** The server of a service that was killed may still be writing its last files. */
function removeFolder(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === REMOVAL_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_PAUSE_MS);
    }
  }
}
