// The demo's own temporary data folder, and its removal.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_REMOVE_RETRIES_MAX } from '#engine/base/limits.ts';

export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-demo-'));
  // A service that runs as root runs PostgreSQL as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes the folder and the database. Call it only after the service has ended. */
export function removeDataFolder(folder: string): void {
  // If that user cannot enter a parent folder, the service keeps the database elsewhere and records where in
  // postgres.json.
  const record = join(folder, 'postgres.json');
  if (existsSync(record)) {
    const { folder: elsewhere } = JSON.parse(readFileSync(record, 'utf8')) as { folder: string };
    rmSync(elsewhere, { recursive: true, force: true, maxRetries: DEMO_REMOVE_RETRIES_MAX });
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: DEMO_REMOVE_RETRIES_MAX });
}
