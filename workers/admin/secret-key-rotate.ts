// `secret-key rotate`: another key in the place of the one that seals secrets at rest. Whatever ends it, everything opens: the
// old key stays beside the new one until the database has nothing under it and refuses what would be.

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

const HELP = `Seals every secret of the database under a new key and retires the old one.

Usage: npm run admin -- secret-key rotate

The key is in DATA_DIR/secret.key: one command does it all, whether the service runs or not; a service that runs goes over
to the new key by itself. If it is interrupted, run it again: it goes on where it stood. Back the new file up afterwards.

The key is given as SECRET_KEY:
  1. Start the service with the new key as SECRET_KEY and the old one as SECRET_KEY_PREVIOUS.
  2. Run this command with the same two settings.
  3. Take SECRET_KEY_PREVIOUS away.
From the file to SECRET_KEY it is the same, with the text of the file as SECRET_KEY_PREVIOUS.

A retired key opens nothing in the database any more, but old backups of it are still sealed under that key.

Prints {"resealed", "retired"}: how many secrets, and how many keys.`;

export const secretKeyRotate: Command = {
  words: 'secret-key rotate',
  summary: 'Seal all secrets under a new key',
  help: HELP,

  async run(args, terminal) {
    readArguments(args, {});
    await withService(terminal, async ({ config, sql, log }) => {
      const { dataDir, secretKey } = config;
      const done = await withRotationLock(sql, async () => {
        const keys = await loadSecretKey(dataDir, secretKey, systemRandomBytes, log);
        const box = new SecretBox(keys, systemRandomBytes);
        await requireKeys(sql, box);
        if (secretKey !== null) {
          if (secretKey.length === 1) throw new StorageError(`SECRET_KEY_PREVIOUS: is needed.\n\n${HELP}`);
          return takeOver(sql, box, terminal);
        }
        const path = keyFileOf(dataDir);
        const texts = keys.texts();
        if (texts.length > 1) terminal.say('A rotation that was interrupted goes on.');
        else await replaceKeys(path, [newKeyText(systemRandomBytes), ...texts], systemRandomBytes);
        const taken = await takeOver(sql, box, terminal);
        await replaceKeys(path, [keys.texts()[0]], systemRandomBytes);
        return taken;
      });
      terminal.print(JSON.stringify(done));
    });
  },
};

/** The first key of the box in the place of all others. */
async function takeOver(sql: Sql, box: SecretBox, terminal: Terminal) {
  const retired = box.keyIds.length - 1;
  let resealed = 0;
  // What a service seals under the old key in this moment is found by the next pass.
  for (let pass = 0; pass < RESEAL_PASSES_MAX; pass++) {
    const before = resealed;
    resealed += await reseal(sql, box, (count) => terminal.progress(`${before + count} secrets sealed`));
    if (await retirePrevious(sql, box)) return { resealed, retired };
  }
  throw new StorageError(
    'Something still seals secrets under the old key: start the service with the new one (--help tells how).',
  );
}
