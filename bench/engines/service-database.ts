// The database and the secrets of a service that runs on a data folder, as an operator's command opens them.

import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { createLog } from '#workers/log.ts';

/** Close it before the service stops. */
export function openServiceDatabase(dataDir: string): Promise<Database> {
  return openDatabase({
    databaseUrl: null,
    dataDir,
    role: 'command',
    log: createLog('warn'),
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
}

export async function openSecretBox(dataDir: string): Promise<SecretBox> {
  const key = await loadSecretKey(dataDir, null, systemRandomBytes, createLog('warn'));
  return new SecretBox(key, systemRandomBytes);
}
