// `secret-key rotate`: replaces the key that seals secrets at rest. Every secret can be opened at any moment, also
// after a crash: the old key stays beside the new one until the database holds no secret under it and refuses new ones.

import { existsSync } from 'node:fs';
import { RESEAL_PASSES_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import {
  requireKeys,
  reseal,
  retirePrevious,
  withRotationLock,
} from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { keyFileOf, loadSecretKey, newKeyText, replaceKeys } from '#engine/storage/secrets/secret-keys.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import type { Command, Terminal } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Seals every secret in the database under a new key and retires the old one.

Usage: npm run admin -- secret-key rotate

If the key is in DATA_DIR/secret.key, this command does everything. The service may be running or not; a running one switches
to the new key by itself. If the command is interrupted, run it again: it resumes where it left off. Back up the new file
afterwards.

If the key is set as SECRET_KEY:
  1. Start the service with the new key as SECRET_KEY and the old one as SECRET_KEY_PREVIOUS.
  2. Run this command with the same two settings.
  3. Remove SECRET_KEY_PREVIOUS.
To move from the file to SECRET_KEY, do the same with the text of the file as SECRET_KEY_PREVIOUS.

A retired key no longer opens anything in the database, but old backups are still sealed under it.

Prints {"resealed", "retired"}: how many secrets, and how many keys.

Example: npm run admin -- secret-key rotate`;

export const secretKeyRotate: Command = {
  words: 'secret-key rotate',
  summary: 'Seal all secrets under a new key',
  help: HELP,

  async run(args, terminal) {
    readArguments(args, {});
    await withService(terminal, 'used', async ({ config, sql, log }) => {
      const { dataDir, secretKey } = config;
      const done = await withRotationLock(sql, async () => {
        if (secretKey === null && !existsSync(keyFileOf(dataDir)))
          throw new StorageError(
            `DATA_DIR: there is no key at ${keyFileOf(dataDir)}: correct the setting, put the key there from its copy, or set ` +
              'SECRET_KEY. Nothing was changed.',
          );
        const keys = await loadSecretKey(dataDir, secretKey, systemRandomBytes, log);
        const box = new SecretBox(keys, systemRandomBytes);
        await requireKeys(sql, box);
        if (secretKey !== null) {
          if (secretKey.length === 1) throw new StorageError(`SECRET_KEY_PREVIOUS: is needed.\n\n${HELP}`);
          return replaceOldKeys(sql, box, terminal);
        }
        const path = keyFileOf(dataDir);
        const texts = keys.texts();
        if (texts.length > 1) terminal.say('Resuming an interrupted rotation.');
        else await replaceKeys(path, [newKeyText(systemRandomBytes), ...texts], systemRandomBytes);
        const replaced = await replaceOldKeys(sql, box, terminal);
        await replaceKeys(path, [keys.texts()[0]], systemRandomBytes);
        return replaced;
      });
      terminal.print(JSON.stringify(done));
    });
  },
};

/** Seals everything under the first key of the box and retires all others. */
async function replaceOldKeys(sql: Sql, box: SecretBox, terminal: Terminal) {
  const retired = box.keyIds.length - 1;
  let resealed = 0;
  // The next pass finds what a service has sealed under the old key meanwhile.
  for (let pass = 0; pass < RESEAL_PASSES_MAX; pass++) {
    const before = resealed;
    resealed += await reseal(sql, box, (count) => terminal.progress(`${before + count} secrets sealed`));
    if (await retirePrevious(sql, box)) return { resealed, retired };
  }
  throw new StorageError(
    'Another process still seals secrets under the old key. Start the service with the new key; --help says how.',
  );
}
