// The demo's data folder: made for it alone, and removed with everything that belongs to it.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_REMOVE_RETRIES_MAX } from '#engine/base/limits.ts';

export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-demo-'));
  // As root the service runs PostgreSQL as another user, who must be able to pass through.
  chmodSync(folder, 0o711);
  return folder;
}

/** Only after the service has ended. */
export function removeDataFolder(folder: string): void {
  // Where that user could not pass through the folders above, the service keeps the database elsewhere and says where.
  const record = join(folder, 'postgres.json');
  if (existsSync(record)) {
    const { folder: elsewhere } = JSON.parse(readFileSync(record, 'utf8')) as { folder: string };
    rmSync(elsewhere, { recursive: true, force: true, maxRetries: DEMO_REMOVE_RETRIES_MAX });
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: DEMO_REMOVE_RETRIES_MAX });
}
