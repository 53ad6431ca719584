// The database of an engine that has a process of its own: PostgreSQL in a temporary folder, which is removed when the
// process exits.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import type { createLog } from '#workers/log.ts';
import { prepared } from './prepared-folder.ts';

/** Makes the folder. */
export function benchFolder(): string {
  const folder = prepared(mkdtempSync(join(tmpdir(), 'slipstream-bench-')), 'database');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openBenchDatabase(dataDir: string, log: ReturnType<typeof createLog>): Promise<Database> {
  return openDatabase({
    databaseUrl: null,
    dataDir,
    role: 'service',
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
}
